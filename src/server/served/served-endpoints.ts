import { deepEqual } from '#lib/deep-equal.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { StepReader } from '#record/client-steps.ts';
import { bareAddress } from '#record/frame-notes.ts';
import type { Connection, Session } from '../connection.ts';
import type { SocketEndpoint } from '../upgrade.ts';
import type { Cassette, ServedRun } from './cassette.ts';
import { type FirstMessage, firstMessageOf, type ServedScript } from './script.ts';
import { CLOSE_DIFFERENT, type Manner, ServedSession } from './served-session.ts';

interface Options {
  cassette: Cassette;
  manner: Manner;
  /** A local endpoint of each vendor, which knows how the vendor ends and refuses connections. */
  locals: Readonly<Record<string, SocketEndpoint>>;
}

/** Returns the endpoint at a path below a vendor's prefix, answered by recordings; null for a path of no endpoint. */
export function servedEndpointAt(path: string, { cassette, manner, locals }: Options): SocketEndpoint | null {
  const known = ENDPOINTS.find((each) => readAddress(each, path)?.base === each.localPrefix);
  const local = known && locals[known.localPrefix.slice(1)];
  if (!known || !local) return null;
  const { connections } = cassette;
  const endpoint = known;

  function open(connection: Connection, address: string): Session {
    let run: ServedRun | null = null;
    let session: Session | null = null;
    const nearest = (first: FirstMessage | null) =>
      connections.nearest((one) =>
        one.endpoint === endpoint ? unlikeness(endpoint, one.script, address, first) : null,
      );
    /** Takes the recorded connection whose opening differs least, then the oldest. */
    const begun = (first: Frame | null): Session | null => {
      if (run) return session;
      const [taken] = nearest(first === null ? null : firstMessageOf(new StepReader(endpoint).read(first)));
      run = cassette.begin(endpoint.title, taken?.title ?? null);
      if (!taken) {
        const client = { words: 'another connection', message: null, atMs: 0 };
        run.differs({ kind: 'extra', recorded: null, client });
        connection.close(CLOSE_DIFFERENT, `the recording holds no further connection of ${endpoint.id}`);
        return null;
      }
      connections.take(taken);
      session = new ServedSession(connection, { ...taken, run, manner, restart });
      return session;
    };
    const candidates = nearest(null);
    // Several have this address, and all begin with a message of the client, which decides.
    const isOpen =
      candidates.length > 1 && candidates.every(({ script }) => script.events[0]?.kind === 'ask');
    if (!isOpen) begun(null);
    return {
      text: (message) => begun(message)?.text(message),
      binary: (message) => begun(null)?.binary(message),
      goingAway: () => begun(null)?.goingAway(),
      gone(end) {
        begun(null)?.gone(end);
        run?.end();
      },
    };
  }

  const { restart } = local;
  return {
    ...local,
    captureAs: endpoint.id,
    // A recorded pause may be long.
    mayIdle: true,
    admit: ({ request, url }) => ({
      headers: [],
      open: (connection) => open(connection, bareAddress(`ws://${request.headers.host}${path}${url.search}`)),
    }),
  };
}

/** Less than a setting, because a client may well say something else. */
const OTHER_TEXT = 0.5;

/**
 * Number of settings in which the opening of a client differs from a recorded one. Another text decides between equal ones,
 * because a client may open several connections at once.
 * @param first its first message, if known
 */
function unlikeness(
  endpoint: Endpoint,
  script: ServedScript,
  address: string,
  first: FirstMessage | null,
): number {
  const inAddress = differing(settingsOf(endpoint, address), settingsOf(endpoint, script.address));
  const { opening } = script;
  if (!first || !opening) return inAddress;
  const isSameText = first.text.startsWith(opening.text) || opening.text.startsWith(first.text);
  return inAddress + differing(first.settings, opening.settings) + (isSameText ? 0 : OTHER_TEXT);
}

const settingsOf = (endpoint: Endpoint, address: string): Settings =>
  readAddress(endpoint, address)?.settings ?? {};

const differing = (a: Settings, b: Settings): number =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => !deepEqual(a[field], b[field]))
    .length;
