// GreenroomALSA
