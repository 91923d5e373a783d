import { deepEqual } from '#lib/deep-equal.ts';
import type { Usage } from '#protocol/core/speech-event.ts';
import type { ContextView, Problem, TurnView } from '#session/views.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import type { SessionClient } from './session-client.ts';
import type { SessionState } from './session-state.ts';

/** The part of a session client that speech needs. */
export type SpeakingClient = Pick<SessionClient, 'state' | 'store' | 'isImmediate' | 'cancel'> & {
  sound: Pick<SessionClient['sound'], 'status'>;
};

/** The end of a wait for speech: its last sample was heard, or the server is done and the wait is known. */
export type SpeechUntil = 'heard' | 'ended';

/** How speech ended. `reason` is one or two sentences. */
export type SpeechOutcome =
  | { how: 'spoken' }
  /** `cancelled`: a person talked over it, or it was cut off. `stalled`: nothing happened for too long. */
  | { how: 'failed' | 'lost' | 'cancelled' | 'stalled'; reason: string };

/** A word for each outcome on the page. */
export const OUTCOME_WORDS: Readonly<Record<SpeechOutcome['how'], string>> = {
  spoken: 'Spoken',
  failed: 'Failed',
  lost: 'Lost',
  cancelled: 'Cancelled',
  stalled: 'Stalled',
};

/** Speech without progress for this long will not end by itself. */
export const STALLED_AFTER_MS = 20_000;

const STALLED: SpeechOutcome = {
  how: 'stalled',
  reason: `Nothing happened for ${STALLED_AFTER_MS / 1000} s.`,
};
const CANCELLED: SpeechOutcome = { how: 'cancelled', reason: 'The run was cancelled.' };

/** What a session speaks from the construction on: construct it, then send the command. */
export class RunSpeech {
  readonly #client: SpeakingClient;
  readonly #newestTurn: number;
  readonly #newestProblem: number;
  readonly #contexts: readonly ContextView[];

  constructor(client: SpeakingClient) {
    const { turnIds, problems, contexts } = client.state;
    this.#client = client;
    this.#newestTurn = turnIds.at(-1) ?? 0;
    // Later problems have greater ids, also after a dismissal.
    this.#newestProblem = problems.reduce((newest, { id }) => Math.max(newest, id), 0);
    this.#contexts = contexts;
  }

  /** Returns its turns: a server that ends a turn while a slow model writes makes several of one text. */
  turns({ turnIds, turns }: Pick<SessionState, 'turnIds' | 'turns'> = this.#client.state): TurnView[] {
    // Runs with every report, and a session may have thousands of turns.
    const before = turnIds.findLastIndex((id) => id <= this.#newestTurn);
    return turnIds.slice(before + 1).flatMap((id) => turns.get(id) ?? []);
  }

  /** A stopped worker, whose problem has a negative id, is a problem of all speech. */
  get problems(): Problem[] {
    return this.#client.state.problems.filter(
      ({ id, turn }) => id < 0 || (id > this.#newestProblem && (turn === null || turn > this.#newestTurn)),
    );
  }

  /** The first error, as a sentence; null without one. */
  get failure(): string | null {
    const problem = this.problems.find(({ severity }) => severity === 'error');
    return problem ? `${problem.title}. ${problem.detail}` : null;
  }

  /**
   * The reported charge: the usage of its turns, plus the growth of the bills of contexts. Null where the server
   * reported neither. The cost of the whole is unknown where that of one part is unknown or in another currency.
   */
  get charged(): Usage | null {
    const reported = this.turns().flatMap(({ usage }) => (typeof usage === 'object' ? [usage] : []));
    const billed = this.#client.state.contexts.flatMap((context) => {
      const earlier = this.#contexts.find(({ id }) => id === context.id);
      const isSameBill =
        deepEqual(context.billed, earlier?.billed) && context.unknownCosts === earlier?.unknownCosts;
      if (!context.billed || isSameBill) return [];
      const grown = earlier?.billed
        ? combine(context.billed, earlier.billed, (x, y) => x - y)
        : context.billed;
      return context.unknownCosts > (earlier?.unknownCosts ?? 0) ? [{ ...grown, costCents: null }] : [grown];
    });
    const [first, ...rest] = [...reported, ...billed];
    return first ? rest.reduce((a, b) => combine(a, b, (x, y) => x + y), first) : null;
  }

  /** Returns how it ended; null while a part of it is to come. */
  outcome(until: SpeechUntil = 'heard'): SpeechOutcome | null {
    const { source, contexts } = this.#client.state;
    const turns = this.turns();
    const [first] = turns;
    const last = turns.at(-1);
    if (turns.some(({ bargeIn }) => bargeIn?.onsetMs != null)) return CANCELLED;
    if (source.state === 'running') return null;
    const { failure } = this;
    // Speech that failed before its first text has no turn.
    if (!first || !last) return failure === null ? null : { how: 'failed', reason: failure };
    if (turns.some(isUnderWay)) return null;
    // The server bills a context when it closes.
    const own = new Set(turns.map(({ context }) => context));
    if (contexts.some(({ id, state }) => own.has(id) && state !== 'closed' && state !== 'refused'))
      return null;
    const isOver = until === 'ended' ? first.wait !== null || isSettled(first) : turns.every(isSettled);
    if (!isOver) return null;
    if (turns.some(({ state }) => state === 'lost'))
      return { how: 'lost', reason: failure ?? 'The connection was lost.' };
    if (failure !== null) return { how: 'failed', reason: failure };
    if (turns.some(({ state }) => state === 'failed'))
      return { how: 'failed', reason: 'The server refused the text.' };
    // A line that a later line cuts off belongs to its scene.
    if (last.state === 'cancelled') return CANCELLED;
    if (turns.every(({ samples }) => samples === 0))
      return { how: 'failed', reason: 'The server sent no audio.' };
    return { how: 'spoken' };
  }

  /** Resolves to how it ended. An abort and a stall cancel it. @throws the reason of the abort */
  async over(signal: AbortSignal, until: SpeechUntil = 'heard'): Promise<SpeechOutcome> {
    const cancel = (): void => this.#client.cancel();
    signal.addEventListener('abort', cancel);
    const reached = waitFor(this.#client, () => this.outcome(until) !== null, {
      signal,
      stalledAfterMs: STALLED_AFTER_MS,
      progress: () => progressOf(this.#client.state),
    });
    await reached.finally(() => signal.removeEventListener('abort', cancel));
    const outcome = this.outcome(until);
    // A stalled server may still send frames.
    if (!outcome) cancel();
    return outcome ?? STALLED;
  }
}

/** The turn has no audio left to play. */
const isSettled = (turn: TurnView): boolean =>
  turn.samples === 0 || turn.heardToMs !== null || turn.silencedMs !== null;

/** Returns a text that changes with every progress of speech, and with nothing else. */
const progressOf = ({ connection, source, player, turnIds, problems }: SessionState): string =>
  [
    connection.state,
    connection.framesReceived,
    source.sent,
    turnIds.length,
    problems.length,
    ...player.tracks.map(({ turn, sample }) => `${turn}:${sample}`),
  ].join(' ');

const combine = (a: Usage, b: Usage, of: (x: number, y: number) => number): Usage => {
  const both = (x: number | null, y: number | null): number | null =>
    x === null || y === null ? null : of(x, y);
  const isMixed = a.currency !== null && b.currency !== null && a.currency !== b.currency;
  return {
    audioSeconds: both(a.audioSeconds, b.audioSeconds),
    characters: both(a.characters, b.characters),
    costCents: isMixed ? null : both(a.costCents, b.costCents),
    currency: a.currency ?? b.currency,
    modelId: a.modelId ?? b.modelId,
  };
};

export interface WaitOptions {
  signal: AbortSignal;
  /** Gives up after this time without progress. */
  stalledAfterMs: number;
  /** Returns a text that changes with progress. Without it, `stalledAfterMs` limits the whole wait. */
  progress?: () => string;
}

/** Resolves to true once a condition on a session or its sound holds, to false after a stall. @throws the reason of an abort */
export async function waitFor(
  { store, sound, isImmediate }: SpeakingClient,
  isReached: () => boolean,
  { signal, stalledAfterMs, progress = () => '' }: WaitOptions,
): Promise<boolean> {
  signal.throwIfAborted();
  if (isReached()) return true;
  let leave = (): void => undefined;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const arm = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          // A hidden page gets no frames to publish reports in, so that it sees no progress.
          if (!isImmediate && document.hidden) arm();
          else resolve(false);
        }, stalledAfterMs);
      };
      let last = progress();
      arm();
      const check = (): void => {
        if (isReached()) resolve(true);
        const now = progress();
        if (now !== last) arm();
        last = now;
      };
      const abort = (): void => reject(signal.reason);
      signal.addEventListener('abort', abort);
      const leaves = [store.subscribe(check), sound.status.subscribe(check)];
      leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        for (const leaveOne of leaves) leaveOne();
      };
    });
  } finally {
    leave();
  }
}
