// Tests import this module alone; it exports the modules of its API.
@_exported public import GreenroomMedia
@_exported public import GreenroomModel
@_exported public import GreenroomNegotiation
@_exported public import GreenroomSession
