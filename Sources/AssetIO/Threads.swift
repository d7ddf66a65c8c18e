#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Threads that nobody waits for.
public enum Threads {
    /// Stack of a thread, as large as a program's first one usually is: readers go as deep as files are nested.
    private static var stackSize: Int { 8 << 20 }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Cores that the system has for this process.
    public static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Starts a thread; false where the system has none to give.
    public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let box = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        let made = pthread_create(
            &thread, &attributes,
            { raw in
                Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        #else
        var thread = pthread_t()
        let made = pthread_create(
            &thread, &attributes,
            { raw in
                if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        #endif
        if made != 0 { box.release() }
        return made == 0
    }
}
