import GreenroomMedia

extension OverlayPlane {
    /// Returns the planes Y, U and V of an image.
    static func planes(
        of image: borrowing Image, x: Int, y: Int, frame: FrameSize, color: ColorSpace
    ) -> [OverlayPlane] {
        let columns = (x..<x + image.width).clamped(to: 0..<frame.width)
        let rows = (y..<y + image.height).clamped(to: 0..<frame.height)
        let conversion = YUVConversion(to: color)

        /// Returns the pixel at a position in the frame; nil outside the image.
        func pixel(_ column: Int, _ row: Int) -> (y: Double, u: Double, v: Double, alpha: Double)? {
            guard rows.contains(row), columns.contains(column) else { return nil }
            let bytes = image.bytes
            let place = (row - y) * image.strideBytes + (column - x) * 4
            let yuv = conversion.convert(
                red: Double(bytes[place]), green: Double(bytes[place + 1]),
                blue: Double(bytes[place + 2]))
            return (yuv.y, yuv.u, yuv.v, Double(bytes[place + 3]))
        }

        var luma = Builder(rows: rows, columns: columns)
        for row in rows {
            for column in columns {
                guard let pixel = pixel(column, row) else { continue }
                luma.append(pixel.y, alpha: pixel.alpha)
            }
        }

        // A chroma sample covers the pixels of its block within the frame, up to four. Its alpha is
        // the mean of their alphas, with pixels outside the image as transparent. Its colour is the
        // mean of the visible pixels.
        let chromaRows = rows.lowerBound / 2..<(rows.upperBound + 1) / 2
        let chromaColumns = columns.lowerBound / 2..<(columns.upperBound + 1) / 2
        var (u, v) = (
            Builder(rows: chromaRows, columns: chromaColumns),
            Builder(rows: chromaRows, columns: chromaColumns)
        )
        for chromaRow in chromaRows {
            for chromaColumn in chromaColumns {
                var (uSum, vSum, alphaSum, count) = (0.0, 0.0, 0.0, 0.0)
                for row in chromaRow * 2..<min(chromaRow * 2 + 2, frame.height) {
                    for column in chromaColumn * 2..<min(chromaColumn * 2 + 2, frame.width) {
                        count += 1
                        guard let pixel = pixel(column, row) else { continue }
                        uSum += pixel.u * pixel.alpha
                        vSum += pixel.v * pixel.alpha
                        alphaSum += pixel.alpha
                    }
                }
                let visible = max(alphaSum, 1)
                u.append(uSum / visible, alpha: alphaSum / max(count, 1))
                v.append(vSum / visible, alpha: alphaSum / max(count, 1))
            }
        }
        return [luma.plane, u.plane, v.plane]
    }

    /// Collects the samples of a plane in the order of its rows.
    private struct Builder {
        let rows: Range<Int>
        let columns: Range<Int>
        var values: [UInt8] = []
        var alphas: [UInt8] = []

        init(rows: Range<Int>, columns: Range<Int>) {
            self.rows = rows
            self.columns = columns
            values.reserveCapacity(rows.count * columns.count)
            alphas.reserveCapacity(rows.count * columns.count)
        }

        mutating func append(_ value: Double, alpha: Double) {
            values.append(UInt8(min(max(value, 0), 255).rounded()))
            alphas.append(UInt8(min(max(alpha, 0), 255).rounded()))
        }

        var plane: OverlayPlane {
            OverlayPlane(rows: rows, columns: columns, values: values, alphas: alphas)
        }
    }
}
