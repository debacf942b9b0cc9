"""The settings of WebRoom's encoder, for what is measured by hand."""

VP8 = ("vp8enc deadline=1 cpu-used=-10 threads=1 lag-in-frames=0 end-usage=cbr target-bitrate=2500000 "
       "keyframe-max-dist=3000")
