// GreenroomConfig
