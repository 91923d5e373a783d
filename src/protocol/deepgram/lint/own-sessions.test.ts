import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Dialect, Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { into, out, type Step } from '../../lint/recordings.test-helper.ts';
import { deepgram, deepgramFlux } from '../endpoints.ts';
import { protocols } from '../protocols.ts';
import { parseFluxMessage, parseSpeakMessage } from '../wire/client-frames.ts';
import type { SentFluxFrame, SentSpeakFrame } from '../wire/server-frames.ts';
import { MAX_WINDOW_CHARS, MAX_WINDOW_FLUSHES } from '../wire/settings.ts';
import { figures, onFlux, onSpeak, saidOn } from './recordings.test-helper.ts';

/** Sessions of the page against servers that follow the protocol book, over a network on which messages cross. */

const context = '';
const SENTENCE = 'The train is late, so there is time for a coffee. ';
/** The time of a frame, and of all other steps. Whole sessions are shorter than any time-out. */
const FRAME_MS = 400;
const STEP_MS = 20;

interface ServerModel {
  take(frame: string): void;
  /** The next frame; undefined where nothing is left to send. */
  next(): Frame | undefined;
}

const pcm = new Uint8Array(FRAME_MS * 48);
const MODEL = { request_id: 'r', model_name: 'm', model_version: '1' };
const frameCount = (text: string): number => Math.ceil(text.length / 40);

/** A server of `/v1/speak`. @param sendsStale sends the Flushed of dropped text before the Cleared */
function speakModel(sendsStale: boolean): ServerModel {
  const ready: Frame[] = [];
  const send = (frame: SentSpeakFrame) => ready.push(JSON.stringify(frame));
  const turns: { left: number }[] = [];
  let [flushes, clears, text] = [0, 0, ''];
  send({ type: 'Metadata', ...MODEL, model_uuid: 'u' });
  return {
    take(frame) {
      const parsed = parseSpeakMessage(JSON.parse(frame));
      if (!parsed.ok) throw new Error(frame);
      const { value } = parsed;
      if (value.type === 'Speak') text += value.text;
      else if (value.type === 'Clear') {
        for (const _ of sendsStale ? turns : []) send({ type: 'Flushed', sequence_id: flushes++ });
        turns.length = 0;
        text = '';
        send({ type: 'Cleared', sequence_id: clears++ });
      } else {
        if (value.type === 'Flush' || text !== '') turns.push({ left: frameCount(text) });
        text = '';
      }
    },
    next() {
      const [turn] = turns;
      if (ready.length > 0 || !turn) return ready.shift();
      if (turn.left > 0) {
        turn.left -= 1;
        return pcm;
      }
      turns.shift();
      return JSON.stringify({ type: 'Flushed', sequence_id: flushes++ } satisfies SentSpeakFrame);
    },
  };
}

/** A server of `/v2/speak`. @param flushedAt the place of Flushed, on which sources disagree (deepgram-turn-11) */
function fluxModel(flushedAt: 'first' | 'before' | 'last'): ServerModel {
  interface Turn {
    id: string;
    text: string;
    isFlushed: boolean;
    frames: number;
  }
  const ready: Frame[] = [];
  const send = (frame: SentFluxFrame) => ready.push(JSON.stringify(frame));
  const turns: Turn[] = [];
  let [count, madeMs, offsetMs, characters, isClosing, isOver] = [0, 0, -1, 0, false, false];
  const flushed = ({ id }: Turn) => send({ type: 'Flushed', speech_id: id });
  const begin = () => {
    const [turn] = turns;
    if (turn) send({ type: 'SpeechStarted', speech_id: turn.id });
    if (turn?.isFlushed && flushedAt === 'first') flushed(turn);
  };
  const metadataOf = ({ id, text, frames }: Turn) => {
    characters += text.length;
    const counts = { input_character_count: text.length, billable_character_count: text.length };
    return { ...figures(id, frames * FRAME_MS), ...counts };
  };
  const refuse = (code: string) => send({ type: 'Warning', code, description: '' });
  const say = (text: string) => {
    const open = turns.find(({ isFlushed }) => !isFlushed);
    if (open) {
      open.text += text;
      return;
    }
    turns.push({ id: `s${count++}`, text, isFlushed: false, frames: 0 });
    if (turns.length === 1) begin();
  };
  const flush = () => {
    const open = turns.find(({ isFlushed }) => !isFlushed);
    if (open) open.isFlushed = true;
    if (open && open === turns[0] && flushedAt === 'first') flushed(open);
    return open !== undefined;
  };
  const interrupt = (value: number | undefined) => {
    const [turn] = turns;
    if (!turn) refuse('NO_ACTIVE_SPEECH');
    else if (madeMs === 0) refuse('NO_AUDIO_GENERATED');
    else if (value !== undefined && value <= offsetMs) refuse('INVALID_INTERRUPT_OFFSET');
    else {
      turns.shift();
      madeMs = value ?? madeMs;
      offsetMs = madeMs;
      const texts = value === undefined ? {} : { text_spoken: turn.text, text_remaining: '' };
      send({ type: 'SpeechInterrupted', audio_played_ms: madeMs, ...texts, metadata: metadataOf(turn) });
      begin();
    }
  };
  send({ type: 'Connected', ...MODEL, model_uuids: ['u'] });
  return {
    take(frame) {
      const parsed = parseFluxMessage(JSON.parse(frame));
      if (!parsed.ok) throw new Error(frame);
      const { value } = parsed;
      if (value.type === 'Speak') say(value.text);
      else if (value.type === 'Interrupt') interrupt(value.playback_offset?.value);
      else if (value.type === 'Configure') send({ type: 'ConfigureSuccess', applied: {} });
      else if (!flush() && value.type === 'Flush') refuse('NO_ACTIVE_SPEECH');
      isClosing ||= value.type === 'Close';
    },
    next() {
      const [turn] = turns;
      if (ready.length > 0) return ready.shift();
      if (turn && turn.frames < frameCount(turn.text)) {
        turn.frames += 1;
        madeMs += FRAME_MS;
        return pcm;
      }
      if (turn?.isFlushed) {
        if (flushedAt === 'before') flushed(turn);
        send({ type: 'SpeechMetadata', ...metadataOf(turn) });
        if (flushedAt === 'last') flushed(turn);
        turns.shift();
        begin();
        return ready.shift();
      }
      if (!isClosing || isOver || turn) return undefined;
      isOver = true;
      const totals = { total_input_character_count: characters, total_billable_character_count: characters };
      send({ type: 'SessionMetadata', total_audio_duration_ms: madeMs, ...totals });
      return ready.shift();
    },
  };
}

type Deed = 'arrive' | 'answer' | 'token' | 'sentence' | 'flush' | 'cancel' | 'update' | 'keepAlive';
const session = fc.array(
  fc.record({
    deed: fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom<Deed>('arrive', 'answer') },
      { weight: 4, arbitrary: fc.constantFrom<Deed>('token', 'sentence', 'flush') },
      { weight: 2, arbitrary: fc.constantFrom<Deed>('cancel', 'update', 'keepAlive') },
    ),
    /** What a player has played of what it has. */
    share: fc.integer({ min: 1, max: 100 }),
  }),
  { maxLength: 150, size: 'max' },
);

/** What a session records, each frame where its client sends or gets it. */
function record(
  dialect: Dialect,
  server: ServerModel,
  deeds: readonly { deed: Deed; share: number }[],
): Step[] {
  const steps: Step[] = [];
  const [toServer, toClient]: [string[], Frame[]] = [[], []];
  let [rest, chars, flushes, hasText] = ['', 0, 0, false];
  // Of the turn that is heard. What was cancelled is heard no more.
  let [heardMs, openTurns, isCancelled] = [0, 0, false];
  const write = (frames: readonly Frame[]) => {
    for (const frame of frames) {
      steps.push(out(frame, STEP_MS));
      toServer.push(String(frame));
    }
  };
  const send = (intent: Intent) => write(dialect.encode(intent));
  const say = (text: string) => {
    if (chars + text.length > MAX_WINDOW_CHARS || (rest === '' && flushes === MAX_WINDOW_FLUSHES)) return;
    chars += text.length;
    if (!hasText) openTurns += 1;
    hasText = true;
    send({ kind: 'say', context, text });
  };
  const flush = () => {
    if (rest !== '') say(rest);
    rest = '';
    if (!hasText || flushes === MAX_WINDOW_FLUSHES) return;
    flushes += 1;
    hasText = false;
    send({ kind: 'flush', context });
  };
  const answer = () => {
    const frame = server.next();
    if (frame !== undefined) toClient.push(frame);
    return frame !== undefined;
  };
  const arrive = () => {
    const frame = toClient.shift();
    if (frame === undefined) return false;
    steps.push(into(frame, STEP_MS));
    for (const { type } of dialect.decode(frame)) {
      if (type === 'audio' && !isCancelled) heardMs += FRAME_MS;
      if (type === 'turnEnded') [heardMs, openTurns] = [0, openTurns - 1];
      if (type === 'interrupted') [heardMs, openTurns, isCancelled] = [0, hasText ? 1 : 0, false];
    }
    write(dialect.replies?.() ?? []);
    return true;
  };
  const take = () => {
    const frame = toServer.shift();
    if (frame !== undefined) server.take(frame);
    return frame !== undefined;
  };
  for (const { deed, share } of deeds) {
    // The session holds text until a cancel is confirmed.
    if (isCancelled && (deed === 'token' || deed === 'sentence' || deed === 'flush')) continue;
    if (deed === 'arrive') arrive();
    else if (deed === 'answer') (share > 50 && take()) || answer();
    else if (deed === 'token') {
      if (rest === '') rest = SENTENCE;
      say(rest.slice(0, 7));
      rest = rest.slice(7);
    } else if (deed === 'sentence' && rest === '') say(SENTENCE);
    else if (deed === 'flush') flush();
    else if (deed === 'cancel') {
      const playedMs = Math.ceil((heardMs * share) / 100);
      send({ kind: 'cancel', context: null, ...(playedMs > 0 ? { playedMs } : {}) });
      [rest, hasText, heardMs, isCancelled] = ['', false, 0, isCancelled || openTurns > 0];
    } else if (deed === 'update') send({ kind: 'update', settings: { speed: 0.5 + (share % 21) / 20 } });
    else if (deed === 'keepAlive') send({ kind: 'keepAlive', context });
  }
  flush();
  send({ kind: 'disconnect' });
  while (take() || answer() || arrive());
  return [...steps, { close: 1000, ms: STEP_MS }];
}

it('finds nothing in sessions of its own on /v1/speak', () => {
  fc.assert(
    fc.property(session, fc.boolean(), (deeds, sendsStale) => {
      const dialect = protocols.deepgram.open({ settings: deepgram.initialSettings, key: 'k' });
      expect(saidOn('speak', [onSpeak(), ...record(dialect, speakModel(sendsStale), deeds)])).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it('finds nothing in sessions of its own on /v2/speak', () => {
  const place = fc.constantFrom('first', 'before', 'last' as const);
  fc.assert(
    fc.property(session, place, (deeds, flushedAt) => {
      const { open } = protocols['deepgram-flux'];
      const dialect = open({ settings: deepgramFlux.initialSettings, key: 'k' });
      expect(saidOn('flux', [onFlux(), ...record(dialect, fluxModel(flushedAt), deeds)])).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
