// Programs import this module only; it exports the modules of its API.
@_exported public import GreenroomConfig
@_exported public import GreenroomMedia
@_exported public import GreenroomModel
@_exported public import GreenroomNegotiation
@_exported public import GreenroomOutputs
@_exported public import GreenroomSchema
@_exported public import GreenroomSession
@_exported public import GreenroomVideo
