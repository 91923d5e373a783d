/** The one sample rate of this endpoint, in Hz (`facts 6.5`). */
export const SAMPLE_RATE = 24_000;

/** Text that waits in the server's buffer. More is refused. */
export const MAX_BUFFER_CHARS = 4096;
