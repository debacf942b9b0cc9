package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pion/webrtc/v3"
)

// crowd connects receivers to a media server by WHEP, counts what they get for some seconds, and prints packets and
// bits a second of one receiver, and of the one that gets least.
//
//	sfu crowd URL TOKEN RECEIVERS SECONDS
func crowd(url, token string, receivers, seconds int) {
	api := api(false)
	packets, octets := make([]int64, receivers), make([]int64, receivers)
	for number := 0; number < receivers; number++ {
		number := number
		connection, err := api.NewPeerConnection(webrtc.Configuration{})
		must(err)
		for _, kind := range []webrtc.RTPCodecType{webrtc.RTPCodecTypeVideo, webrtc.RTPCodecTypeAudio} {
			_, err := connection.AddTransceiverFromKind(
				kind, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly})
			must(err)
		}
		connection.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
			buffer := make([]byte, 1500)
			for {
				count, _, err := track.Read(buffer)
				if err != nil {
					return
				}
				atomic.AddInt64(&packets[number], 1)
				atomic.AddInt64(&octets[number], int64(count))
			}
		})
		offer, err := connection.CreateOffer(nil)
		must(err)
		gathered := webrtc.GatheringCompletePromise(connection)
		must(connection.SetLocalDescription(offer))
		<-gathered
		request, err := http.NewRequest("POST", url, bytes.NewBufferString(connection.LocalDescription().SDP))
		must(err)
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/sdp")
		reply, err := http.DefaultClient.Do(request)
		must(err)
		body, err := io.ReadAll(reply.Body)
		must(err)
		if reply.StatusCode != http.StatusCreated {
			must(fmt.Errorf("%s: %s", reply.Status, body))
		}
		must(connection.SetRemoteDescription(
			webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(body)}))
	}
	fmt.Println("all connect")
	time.Sleep(5 * time.Second)
	sum := func(values []int64) (total, least int64) {
		for index := range values {
			value := atomic.LoadInt64(&values[index])
			total += value
			if index == 0 || value < least {
				least = value
			}
		}
		return
	}
	bits, _ := sum(octets)
	for index := range packets {
		atomic.StoreInt64(&packets[index], 0)
	}
	fmt.Println("measuring")
	time.Sleep(time.Duration(seconds) * time.Second)
	after, least := sum(packets)
	more, _ := sum(octets)
	scale := float64(receivers * seconds)
	fmt.Printf("a receiver gets %.0f packets and %.2f Mbit/s, the least %.0f packets\n",
		float64(after)/scale, float64(more-bits)*8/scale/1e6, float64(least)/float64(seconds))
}
