import CGStreamer
import Testing

/// The comparison of a peer's certificate with the fingerprint in its description.
@Suite struct FingerprintTests {
    /// Made by `openssl req -x509`.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBdTCCARugAwIBAgIUL9xli3kiw5h+NTPboEdDw4l6ZjUwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjkxMjE5MDVaGA8yMDgxMDkwMTEyMTkw
        NVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABISj
        LudldufvTFXHnT1Xt/6nCkJPJxKE/xicd73DBbXLvhhqz9hEdoVXpAPEncQCxL7r
        jxUSq/vrcAcCVNvN+c+jUzBRMB0GA1UdDgQWBBTzWsq0irWS4vgQS8upH8yDZ48u
        +jAfBgNVHSMEGDAWgBTzWsq0irWS4vgQS8upH8yDZ48u+jAPBgNVHRMBAf8EBTAD
        AQH/MAoGCCqGSM49BAMCA0gAMEUCIEnbENE1l9hzwUUFbT6BB/5y2mzc0/zRlYsm
        Y7RqnwqpAiEA0DQT/x8wREIs/xU9JN9cb0GWGBNmn6UfoQgpESlvZoY=
        -----END CERTIFICATE-----

        """

    /// Printed by `openssl x509 -fingerprint`.
    private static let fingerprints: [(hash: String, value: String)] = [
        (
            "sha-256",
            "DE:9E:EF:31:DC:27:0F:38:FD:03:41:8F:E5:21:DF:98:15:A7:DF:25:CB:"
                + "23:7E:BC:13:A6:43:C3:0A:A9:95:B3"
        ),
        (
            "sha-384",
            "38:5D:E6:68:65:9A:24:8B:A6:71:11:C8:8A:11:B7:BE:57:20:98:4F:6F:"
                + "C8:4D:9F:9C:E0:5E:B9:8F:AE:EC:62:AC:9C:B1:81:89:0B:FC:A6:7C:1F:"
                + "8A:62:06:39:EE:AF"
        ),
        (
            "sha-512",
            "85:8F:65:67:21:F2:45:66:E8:3A:D3:E7:57:4C:FB:96:42:C2:38:AB:86:"
                + "57:CE:34:66:84:C0:E9:52:A0:A1:79:54:FB:71:63:87:37:86:72:1C:5F:"
                + "53:D5:4C:9E:E1:90:FE:72:F9:D2:F6:D3:76:1C:08:D8:FE:0F:A4:6F:FB:"
                + "A9"
        ),
    ]

    private static func matches(
        _ hash: String, _ value: String, _ certificate: String = certificate
    ) -> Bool {
        greenroom_certificate_matches(certificate, hash, value)
    }

    @Test(arguments: fingerprints)
    func `a certificate has its fingerprint of each hash, and no other`(hash: String, value: String)
    {
        #expect(Self.matches(hash, value))
        let last = value.last == "0" ? "1" : "0"
        #expect(!Self.matches(hash, String(value.dropLast()) + last))
        #expect(!Self.matches(hash, String(value.dropLast(3))))
        #expect(!Self.matches(hash, value + ":00"))
        #expect(!Self.matches(hash, ""))
        #expect(!Self.matches(hash, value, ""))
        #expect(!Self.matches(hash, value, "-----BEGIN CERTIFICATE-----"))
        for (other, _) in Self.fingerprints where other != hash {
            #expect(!Self.matches(other, value))
        }
        for unknown in ["sha-1", "md5", "SHA-256", ""] { #expect(!Self.matches(unknown, value)) }
    }
}
