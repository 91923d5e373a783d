import { Readable } from 'node:stream';
import { deepEqual } from '#lib/deep-equal.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { type ClientStep, StepReader } from '#trace/client-steps.ts';
import { bareAddress } from '#trace/known-endpoint.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import type { Connection, Session } from '../connection.ts';
import { remoteOf } from '../origin.ts';
import type { RefusedUpgrade } from '../refused-upgrade.ts';
import type { SocketEndpoint } from '../socket-endpoint.ts';
import type { RecordedConnection, ServedRun } from './cassette.ts';
import { NOT_SERVED, type ServedRecordings } from './served-recordings.ts';
import { CLOSE_DIFFERENT, ServedSession } from './served-session.ts';

/**
 * Returns the endpoint of an address that is answered by recordings; null for any other.
 * @param socketOf the local socket of an endpoint, which knows how the vendor ends and refuses connections
 */
export function servedEndpointAt(
  url: URL,
  served: ServedRecordings,
  socketOf: (endpoint: Endpoint | undefined) => SocketEndpoint | undefined,
): SocketEndpoint | RefusedUpgrade | null {
  const place = served.placeAt(url);
  if (!place) return null;
  const { cassette, path } = place;
  if (!cassette) return { status: 404, why: NOT_SERVED };
  const endpoint = ENDPOINTS.find((each) => readAddress(each, path)?.base === each.localPrefix);
  const local = socketOf(endpoint);
  if (!endpoint || !local) return null;
  const { connections, manner } = cassette;
  const { restart } = local;

  const open = (connection: Connection, address: Settings, peer: string): Session => {
    let run: ServedRun | null = null;
    let session: Session | null = null;
    const nearest = (first: readonly ClientStep[] | null) =>
      connections.nearest((one) =>
        one.endpoint === endpoint && !one.refusal ? unlikeness(one, address, first) : null,
      );
    /** Takes the recorded connection whose opening differs least, then the oldest. */
    const begun = (first: Frame | null): Session | null => {
      if (run) return session;
      const [taken] = nearest(first === null ? null : new StepReader(endpoint).read(first));
      run = cassette.begin(endpoint.title, taken?.title ?? null, peer);
      if (!taken) {
        run.differs({ kind: 'extra', recorded: null, client: () => 'another connection' });
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
      candidates.length > 1 && candidates.every(({ script }) => script.events[0]?.direction === 'out');
    if (!isOpen) begun(null);
    return {
      text(message) {
        // Recorded frames have no keys, and those of a client are no difference.
        const clean = withoutNamedSecrets(message);
        begun(clean)?.text(clean);
      },
      binary: (message) => begun(null)?.binary(message),
      goingAway: () => begun(null)?.goingAway(),
      gone(end) {
        begun(null)?.gone(end);
        run?.end();
      },
    };
  };

  /** Answers as the recorded server refused the nearest handshake; null where it took the connection. */
  const refused = (address: Settings, peer: string): RefusedUpgrade | null => {
    const [taken] = connections.nearest((one) =>
      one.endpoint === endpoint ? unlikeness(one, address, null) : null,
    );
    if (!taken?.refusal) return null;
    connections.take(taken);
    cassette.begin(endpoint.title, taken.title, peer).end();
    const { status, body, contentType } = taken.refusal;
    return { status, why: { headers: [`Content-Type: ${contentType}`], body: Readable.from([body]) } };
  };

  return {
    ...local,
    // A recorded pause may be long.
    mayIdle: true,
    admit({ request, url }) {
      const bare = bareAddress(`ws://${request.headers.host}${path}${url.search}`);
      const address = readAddress(endpoint, bare)?.settings ?? {};
      const peer = remoteOf(request);
      return refused(address, peer) ?? { headers: [], open: (connection) => open(connection, address, peer) };
    },
  };
}

/** Less than a setting, because a client may well say something else. */
const OTHER_TEXT = 0.5;

/**
 * Number of settings in which the opening of a client differs from a recorded one. Another text decides between equal ones,
 * because a client may open several connections at once.
 * @param address the settings in its address
 * @param first its first message; null where it is unknown
 */
function unlikeness(
  { settings, script }: RecordedConnection,
  address: Settings,
  first: readonly ClientStep[] | null,
): number {
  const inAddress = differing(address, settings);
  const { opening } = script;
  if (!first || !opening) return inAddress;
  const [text, recorded] = [textIn(first), textIn(opening)];
  const isSameText = text.startsWith(recorded) || recorded.startsWith(text);
  return inAddress + differing(settingsIn(first), settingsIn(opening)) + (isSameText ? 0 : OTHER_TEXT);
}

const textIn = (steps: readonly ClientStep[]): string => steps.map(({ text }) => text).join('');

const settingsIn = (steps: readonly ClientStep[]): Settings =>
  Object.assign({}, ...steps.map(({ kind, value }) => (kind === 'settings' ? value : {})));

const differing = (a: Settings, b: Settings): number =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => !deepEqual(a[field], b[field]))
    .length;
