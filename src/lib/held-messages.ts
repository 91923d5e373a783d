interface Receiver<Message> {
  onmessage: ((message: Message) => void) | null;
}

/**
 * Holds messages of a port back from its handler while something that they need is loaded. They keep their order. The
 * handler must be set before a worker waits for anything, because messages without a handler are lost.
 * @param needs null where the handler can take the message at once
 * @param failed gets each fault of the handler with a held message, and the reason why nothing was loaded, after which the
 *   port is silent
 */
export function holdMessages<Message>(
  port: Receiver<Message>,
  needs: (message: Message) => Promise<unknown> | null,
  failed: (error: unknown) => void = reportError,
): void {
  const { onmessage: handle } = port;
  const held: Message[] = [];

  async function handleHeld(): Promise<void> {
    for (let [next] = held; next !== undefined; [next] = held) {
      await needs(next);
      held.shift();
      // A fault of the handler must not silence the port, as it does not for a message that was not held.
      try {
        handle?.(next);
      } catch (error) {
        failed(error);
      }
    }
  }

  port.onmessage = (message) => {
    if (held.length === 0 && !needs(message)) {
      handle?.(message);
      return;
    }
    held.push(message);
    if (held.length > 1) return;
    handleHeld().catch((error: unknown) => {
      port.onmessage = null;
      failed(error);
    });
  };
}
