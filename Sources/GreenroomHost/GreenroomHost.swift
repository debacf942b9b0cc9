// GreenroomHost
