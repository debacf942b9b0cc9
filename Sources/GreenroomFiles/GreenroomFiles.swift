// GreenroomFiles
