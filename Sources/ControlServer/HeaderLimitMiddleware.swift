import ControlAPI
import Hummingbird

/// Rejects requests with more than `limit` bytes of target and headers.
struct HeaderLimitMiddleware: RouterMiddleware {
    let limit: Int

    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        let size = request.head.headerFields.reduce(request.uri.description.utf8.count) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
        }
        guard size <= limit else {
            throw Problem(
                .tooLarge, status: 431, title: "Too large", detail: "The request target and headers are larger than \(limit >> 10) KiB.",
                next: "Put large values into the payload, which may have up to 32 MiB.")
        }
        return try await next(request, context)
    }
}
