// Programs import one module: what its declarations name comes with it.
@_exported public import GreenroomConfig
@_exported public import GreenroomMedia
@_exported public import GreenroomModel
@_exported public import GreenroomNegotiation
@_exported public import GreenroomRuntime
@_exported public import GreenroomSchema
@_exported public import GreenroomSession
@_exported public import GreenroomVideo
