// GreenroomPlugin
