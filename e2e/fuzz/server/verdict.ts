import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Finding, RuleGroup } from '#protocol/core/rule.ts';
import { misread } from '#trace/noted-speech.test-helper.ts';
import { protocolOf } from '../../support/protocols.ts';
import { Broken } from '../fuzz-part.ts';
import { fieldsIn, isInvalid, openTexts, SECRET_KEY } from './client-scripts.ts';
import { type FuzzSocket, isCut } from './fuzz-socket.ts';

/** Codes of RFC 6455 for a client that breaks the WebSocket protocol itself. */
const BROKEN_FRAMES: ReadonlySet<number> = new Set([1002, 1007]);
/** Closes that report a fault of the server. */
const FAULTS: ReadonlySet<number> = new Set([1011, 4000, 4005]);

/** Rules about the client, whose mutated messages break them on purpose. */
const OF_CLIENT: ReadonlySet<RuleGroup> = new Set<RuleGroup>(['client', 'limits', 'cost']);

/** Closes and findings of conditions that a key produces. */
const ON_PURPOSE: Readonly<Record<string, readonly unknown[]>> = {
  'local-busy': [1011],
  'local-no-credits': ['final-without-audio'],
};

const isOnPurpose = (key: string, what: unknown): boolean => ON_PURPOSE[key]?.includes(what) ?? false;

/** Words that a message contains where its author forgot a value. */
export const FORGOTTEN = /undefined|NaN|\[object|function|Error:/;

/**
 * Throws where the server broke a promise in this conversation.
 * @param isWhole all messages were handled, or the server closed
 */
export function judge(endpoint: Endpoint, socket: FuzzSocket, { isWhole }: { isWhole: boolean }): void {
  const errors = socket.received.flatMap((frame) => (typeof frame === 'string' ? errorIn(frame) : []));
  for (const error of errors) checkError(error);
  checkShapes(endpoint, socket);
  checkClose(endpoint, socket);
  checkRules(socket);
  const [misreading] = misread(endpoint, socket.seen);
  if (misreading) throw new Broken(misreading);
  if (isWhole && (socket.closeCode === null || socket.closeCode === CLOSE_CODES.normal)) {
    const handled = openTexts(endpoint, socket.sentTexts);
    const invalid = handled.filter((text) => isInvalid(endpoint, text)).length;
    if (errors.length < invalid) {
      throw new Broken(`expected an error for each of ${invalid} invalid messages, got ${errors.length}`);
    }
  }
}

function errorIn(frame: string): { message: unknown; frame: string } | [] {
  const fields = fieldsIn(frame);
  if ('error' in fields) return { message: fields.message ?? fields.error, frame };
  return fields.type === 'error' ? { message: fields.message, frame } : [];
}

function checkError({ message, frame }: { message: unknown; frame: string }): void {
  const isNamed = typeof message === 'string' && message.trim() !== '';
  // Excerpts of the client's own message may contain anything.
  const own = isNamed ? message.replace(/"(?:[^"\\]|\\.)*"?|got .*$/gs, '') : '';
  if (!isNamed || FORGOTTEN.test(own))
    throw new Broken(`expected an error that names the fault, got ${frame}`);
  if (frame.includes(SECRET_KEY)) throw new Broken(`expected an error without the key, got ${frame}`);
  if (/internal|generation failed/i.test(own))
    throw new Broken(`expected no fault of the server, got ${frame}`);
}

/** Every frame must be one that the schemas of the endpoint accept. */
function checkShapes(endpoint: Endpoint, socket: FuzzSocket): void {
  const dialect = protocolOf(endpoint).open({ settings: {}, key: '' });
  for (const frame of socket.received) {
    const events = dialect.decode(frame);
    for (const event of events) {
      if (event.type === 'malformed') throw new Broken(`expected a valid frame, got ${event.problem}`);
      if (event.type === 'unknown')
        throw new Broken(`expected a known frame, got ${String(frame).slice(0, 300)}`);
    }
  }
}

function checkClose(endpoint: Endpoint, socket: FuzzSocket): void {
  const { closeCode: code, closeReason } = socket;
  if (code === null || socket.hasLeft) return;
  const isBroken = socket.hasSentBytes || socket.hasSentJunk;
  if (isBroken && (BROKEN_FRAMES.has(code) || isCut(code))) return;
  if (FAULTS.has(code) && !isOnPurpose(socket.key, code))
    throw new Broken(`expected no fault of the server, got the close ${code} ${closeReason}`);
  const { name } = protocolOf(endpoint).explainClose(code, closeReason);
  if (name === String(code) || isCut(code)) {
    throw new Broken(`expected a documented close code, got ${code} ${closeReason}`);
  }
}

function checkRules({ findings, seen, key }: FuzzSocket): void {
  const found = findings.find((finding) => isOfServer(finding, seen) && !isOnPurpose(key, finding.id));
  if (found) {
    throw new Broken(
      `expected frames by the rules, got ${found.id}: ${found.message} (frame ${found.frame})`,
    );
  }
}

/** A finding about a message of the client is the client's, unless the message waits for an answer. */
const isOfServer = ({ id, severity, group, frame }: Finding, seen: FuzzSocket['seen']): boolean =>
  severity !== 'advice' &&
  !OF_CLIENT.has(group) &&
  (seen[frame]?.direction !== 'out' || id.endsWith('-absent'));
