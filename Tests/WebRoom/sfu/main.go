// A media server of one stream: it takes a publisher by WHIP, and forwards their packets to everybody who
// asks by WHEP. Made with Pion, which shares nothing with GStreamer: see Tests/WebRoom/pion.sh.
//
//	sfu PORT TOKEN [simulcast]
//
// With simulcast, the publisher may send layers, and /h/whep asks for the one named h, /whep for the best, f. Prints a line for each
// connection that begins or ends, for each key frame that is asked for, and for each layer that ends.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/rtcp"
	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v3"
)

type server struct {
	api         *webrtc.API
	token       string
	lock        sync.Mutex
	connections map[string]*webrtc.PeerConnection
	count       int
	// The publisher's, by their kind or their layer; none while there is no publisher.
	tracks    map[string]*webrtc.TrackLocalStaticRTP
	publisher *webrtc.PeerConnection
	sources   map[string]webrtc.SSRC
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// api makes connections over this machine's loopback alone.
func api(simulcast bool) *webrtc.API {
	media, chain, settings := &webrtc.MediaEngine{}, &interceptor.Registry{}, webrtc.SettingEngine{}
	must(media.RegisterDefaultCodecs())
	if simulcast {
		for _, uri := range []string{
			sdp.SDESMidURI, sdp.SDESRTPStreamIDURI,
			"urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id",
		} {
			extension := webrtc.RTPHeaderExtensionCapability{URI: uri}
			must(media.RegisterHeaderExtension(extension, webrtc.RTPCodecTypeVideo))
		}
	}
	// Answers NACK, sends reports, and says which packets have arrived.
	must(webrtc.RegisterDefaultInterceptors(media, chain))
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetIPFilter(func(address net.IP) bool { return address.IsLoopback() })
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	settings.SetICETimeouts(3*time.Second, 5*time.Second, time.Second)
	return webrtc.NewAPI(
		webrtc.WithMediaEngine(media), webrtc.WithInterceptorRegistry(chain), webrtc.WithSettingEngine(settings))
}

// publish forwards what arrives in a connection.
func (s *server) publish(connection *webrtc.PeerConnection) {
	s.publisher, s.tracks = connection, map[string]*webrtc.TrackLocalStaticRTP{}
	s.sources = map[string]webrtc.SSRC{}
	connection.OnTrack(func(remote *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		kind, name := remote.Kind().String(), remote.RID()
		if name == "" {
			name = kind
		}
		local, err := webrtc.NewTrackLocalStaticRTP(remote.Codec().RTPCodecCapability, kind, "stream")
		must(err)
		s.lock.Lock()
		if s.publisher == connection {
			s.tracks[name], s.sources[name] = local, remote.SSRC()
		}
		s.lock.Unlock()
		fmt.Println(kind, "arrives:", remote.Codec().MimeType, remote.RID())
		packets, octets := 0, 0
		for {
			packet, _, err := remote.ReadRTP()
			if err != nil {
				fmt.Println(name, "ends after", packets, "packets and", octets, "bytes")
				return
			}
			packets, octets = packets+1, octets+len(packet.Payload)
			// The number of a header extension is another one on each connection.
			packet.Extension, packet.Extensions = false, nil
			if err := local.WriteRTP(packet); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				fmt.Println("forwarding:", err)
			}
		}
	})
}

// play sends the publisher's audio and a video, and passes on that a viewer needs a key frame.
func (s *server) play(connection *webrtc.PeerConnection, video string) error {
	for _, name := range []string{video, "audio"} {
		sender, err := connection.AddTrack(s.tracks[name])
		if err != nil {
			return err
		}
		go func() {
			for {
				packets, _, err := sender.ReadRTCP()
				if err != nil {
					return
				}
				for _, packet := range packets {
					switch packet.(type) {
					case *rtcp.PictureLossIndication, *rtcp.FullIntraRequest:
						s.askForKeyFrame(video)
					}
				}
			}
		}()
	}
	connection.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected {
			s.askForKeyFrame(video)
		}
	})
	return nil
}

func (s *server) askForKeyFrame(video string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.publisher != nil {
		fmt.Println("key frame, please:", video)
		_ = s.publisher.WriteRTCP([]rtcp.Packet{
			&rtcp.PictureLossIndication{MediaSSRC: uint32(s.sources[video])}})
	}
}

func (s *server) end(id string) bool {
	s.lock.Lock()
	connection := s.connections[id]
	delete(s.connections, id)
	if connection != nil && connection == s.publisher {
		s.publisher, s.tracks, s.sources = nil, nil, nil
	}
	s.lock.Unlock()
	if connection != nil {
		_ = connection.Close()
	}
	return connection != nil
}

// video is the name of the track for a viewer who asks for a layer, or for none.
func (s *server) video(layer string) string {
	switch {
	case layer != "":
		return layer
	case s.tracks["f"] != nil:
		return "f"
	}
	return "video"
}

// answer takes an offer; what it answers has all candidates.
func (s *server) answer(role, layer, offer string) (id, text string, status int, err error) {
	connection, err := s.api.NewPeerConnection(webrtc.Configuration{})
	must(err)
	s.lock.Lock()
	defer s.lock.Unlock()
	if role == "whip" {
		if s.publisher != nil {
			return "", "", http.StatusConflict, errors.New("there is a publisher")
		}
		s.publish(connection)
	} else if video := s.video(layer); s.tracks[video] == nil || s.tracks["audio"] == nil {
		_ = connection.Close()
		return "", "", http.StatusNotFound, errors.New("nothing is published")
	} else if err := s.play(connection, video); err != nil {
		return "", "", http.StatusInternalServerError, err
	}
	s.count++
	id = fmt.Sprint(role, "-", s.count)
	s.connections[id] = connection
	connection.OnICEConnectionStateChange(func(state webrtc.ICEConnectionState) {
		fmt.Println(id, state)
		if state == webrtc.ICEConnectionStateFailed {
			s.end(id)
		}
	})
	gathered := webrtc.GatheringCompletePromise(connection)
	err = connection.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer})
	if err != nil {
		return id, "", http.StatusNotAcceptable, err
	}
	description, err := connection.CreateAnswer(nil)
	if err == nil {
		err = connection.SetLocalDescription(description)
	}
	if err != nil {
		return id, "", http.StatusNotAcceptable, err
	}
	<-gathered
	return id, connection.LocalDescription().SDP, http.StatusCreated, nil
}

func (s *server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	path, layer := strings.TrimPrefix(request.URL.Path, "/"), ""
	if strings.HasSuffix(path, "/whep") {
		path, layer = "whep", strings.TrimSuffix(path, "/whep")
	}
	role, id, _ := strings.Cut(path, "/")
	switch {
	case request.Header.Get("Authorization") != "Bearer "+s.token:
		http.Error(writer, "no such token", http.StatusUnauthorized)
	case request.Method == "DELETE" && s.end(id):
		fmt.Println(id, "ended by DELETE")
	case request.Method == "POST" && id == "" && (role == "whip" || role == "whep"):
		offer, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, 100_000))
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		id, text, status, err := s.answer(role, layer, string(offer))
		if err != nil {
			s.end(id)
			fmt.Println(role, "refused:", err)
			http.Error(writer, err.Error(), status)
			return
		}
		writer.Header().Set("Content-Type", "application/sdp")
		writer.Header().Set("Location", "/"+role+"/"+id)
		writer.WriteHeader(status)
		_, _ = io.WriteString(writer, text)
	default:
		http.NotFound(writer, request)
	}
}

func main() {
	if os.Args[1] == "crowd" {
		receivers, err := strconv.Atoi(os.Args[4])
		must(err)
		seconds, err := strconv.Atoi(os.Args[5])
		must(err)
		crowd(os.Args[2], os.Args[3], receivers, seconds)
		return
	}
	s := &server{
		api: api(len(os.Args) > 3), token: os.Args[2], connections: map[string]*webrtc.PeerConnection{}}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	must(err)
	fmt.Println("ready at port", listener.Addr().(*net.TCPAddr).Port)
	must(http.Serve(listener, s))
}
