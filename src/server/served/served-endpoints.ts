import type { Clock } from '#lib/clock.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { reopen } from '#record/entry-decoder.ts';
import { bareAddress } from '#record/frame-notes.ts';
import type { Connection, Session, SocketEnd } from '../connection.ts';
import type { SocketEndpoint } from '../upgrade.ts';
import type { Cassette, RecordedConnection } from './cassette.ts';
import { CLOSE_DIFFERENT, type Manner, ServedSession } from './served-session.ts';

interface Options {
  cassette: Cassette;
  manner: Manner;
  /** A local endpoint of each vendor, which knows how the vendor ends and refuses connections. */
  locals: Readonly<Record<string, SocketEndpoint>>;
  clock: Pick<Clock, 'nowMs'>;
}

/** Returns the endpoint at a path below a vendor's prefix, answered by recordings; null for a path of no endpoint. */
export function servedEndpointAt(
  path: string,
  { cassette, manner, locals, clock }: Options,
): SocketEndpoint | null {
  const known = ENDPOINTS.find((each) => readAddress(each, path)?.base === each.localPrefix);
  const local = known && locals[known.localPrefix.slice(1)];
  if (!known || !local) return null;
  const endpoint = known;
  const { meter, restart, turnAway } = local;

  function begin(connection: Connection, recorded: RecordedConnection): Session {
    const run = cassette.begin({
      what: endpoint.title,
      recording: recorded.title,
      startedAtMs: clock.nowMs(),
    });
    const session = new ServedSession(connection, {
      endpoint,
      script: recorded.script,
      dialect: reopen(endpoint, { address: recorded.script.address }),
      manner,
      restart,
      differs: (difference) => cassette.change(run, { difference }),
      moved: (moved) => cassette.change(run, { moved }),
    });
    return {
      text: (message) => session.text(message),
      binary: (message) => session.binary(message),
      goingAway: () => session.goingAway(),
      gone() {
        session.gone();
        cassette.change(run, { isOver: true });
      },
    };
  }

  return {
    captureAs: endpoint.id,
    meter,
    restart,
    turnAway,
    // A recorded pause may be long.
    mayIdle: true,
    admit: ({ request, url }) => ({
      headers: [],
      open(connection) {
        const address = bareAddress(`ws://${request.headers.host}${path}${url.search}`);
        const take = (first: Frame | null): Session | null => {
          const recorded = cassette.take(endpoint, address, first);
          if (recorded) return begin(connection, recorded);
          cassette.refused(endpoint.title, clock.nowMs());
          connection.close(CLOSE_DIFFERENT, `the recording holds no further connection of ${endpoint.id}`);
          return null;
        };
        return cassette.needsFirstFrame(endpoint, address)
          ? new UndecidedSession(take, () => connection.close(restart.code, restart.reason))
          : take(null);
      },
    }),
  };
}

/** Decides with the first message of a client which recorded connection answers it. */
class UndecidedSession implements Session {
  readonly #take: (first: Frame | null) => Session | null;
  readonly #leave: () => void;
  #session: Session | null = null;
  #isDecided = false;

  constructor(take: (first: Frame | null) => Session | null, leave: () => void) {
    this.#take = take;
    this.#leave = leave;
  }

  text(message: string): void {
    this.#decide(message)?.text(message);
  }

  binary(message: Uint8Array): void {
    this.#decide(null)?.binary(message);
  }

  gone(end: SocketEnd): void {
    this.#decide(null)?.gone(end);
  }

  goingAway(): void {
    if (this.#session) this.#session.goingAway();
    else this.#leave();
  }

  #decide(first: Frame | null): Session | null {
    if (!this.#isDecided) this.#session = this.#take(first);
    this.#isDecided = true;
    return this.#session;
  }
}
