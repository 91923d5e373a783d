/**
 * The run of a playlist in the presenter, as a state machine without clock, session or page.
 *
 * One rule for who presents: `advance` goes on now, `stop` falls silent and stays at the item. An automatic playlist
 * advances by itself, a pause after each item has been heard.
 */
export interface PlaylistRun {
  /** Place of the item under way, or of the next one. */
  at: number;
  phase: 'ready' | 'speaking' | 'pausing' | 'over';
  /** End of the pause, while pausing. */
  dueMs: number | null;
  /** Items in a row that could not be spoken. */
  failures: number;
}

/** Whether an automatic run goes on without a press: an item is spoken, or the next one is due. */
export const isRunning = ({ phase }: PlaylistRun): boolean => phase === 'speaking' || phase === 'pausing';

export interface RunRules {
  count: number;
  auto: boolean;
  pauseMs: number;
  loop: boolean;
}

export type PlaylistEvent =
  | { type: 'advance' }
  | { type: 'back' }
  | { type: 'goTo'; at: number }
  | { type: 'stop' }
  /** The item under way was heard to its end, or failed. */
  | { type: 'heard'; failed: boolean }
  | { type: 'tick' }
  /** The playlist was edited. The item that was at `at` is at another place, or gone (null). */
  | { type: 'edited'; at: number | null };

/** `speak` cancels the item under way and speaks the one at `run.at`; `silence` only cancels. */
export type PlaylistAct = 'speak' | 'silence' | null;

export interface PlaylistStep {
  run: PlaylistRun;
  act: PlaylistAct;
}

export const NEW_RUN: PlaylistRun = { at: 0, phase: 'ready', dueMs: null, failures: 0 };

const still = (run: PlaylistRun): PlaylistStep => ({ run, act: null });

const speak = (run: PlaylistRun, at: number): PlaylistStep => ({
  run: { ...run, at, phase: 'speaking', dueMs: null },
  act: 'speak',
});

/** Returns the place behind an item; null at the end of a playlist without a loop. */
const after = (at: number, { count, loop }: RunRules): number | null =>
  at + 1 < count ? at + 1 : loop ? 0 : null;

/** Returns the run after an event, and what to do. An empty playlist does nothing. */
export function playlistStep(
  run: PlaylistRun,
  event: PlaylistEvent,
  rules: RunRules,
  nowMs: number,
): PlaylistStep {
  const { count } = rules;
  if (event.type === 'edited') return edited(run, event.at, count);
  if (event.type === 'stop') {
    const stopped = { ...run, phase: run.phase === 'over' ? run.phase : 'ready', dueMs: null } as const;
    return { run: stopped, act: isRunning(run) ? 'silence' : null };
  }
  if (count === 0) return still(run);
  switch (event.type) {
    case 'advance': {
      const afresh = { ...run, failures: 0 };
      if (run.phase === 'over') return speak(afresh, 0);
      if (run.phase !== 'speaking') return speak(afresh, Math.min(run.at, count - 1));
      const next = after(run.at, rules);
      // Nothing follows, so the last item is heard to its end.
      return next === null ? still(run) : speak(afresh, next);
    }
    case 'back': {
      const from = run.phase === 'over' ? count : run.at;
      return speak({ ...run, failures: 0 }, Math.max(0, from - 1));
    }
    case 'goTo':
      return speak({ ...run, failures: 0 }, Math.min(count - 1, Math.max(0, event.at)));
    case 'heard':
      return run.phase === 'speaking' ? heard(run, event.failed, rules, nowMs) : still(run);
    case 'tick':
      return run.phase === 'pausing' && run.dueMs !== null && nowMs >= run.dueMs
        ? speak(run, Math.min(run.at, count - 1))
        : still(run);
  }
}

function heard(run: PlaylistRun, failed: boolean, rules: RunRules, nowMs: number): PlaylistStep {
  const failures = failed ? run.failures + 1 : 0;
  const next = after(run.at, rules);
  // A loop without a network must not retry its playlist for ever.
  if (next === null || failures >= rules.count)
    return still({ at: run.at, phase: failed && next !== null ? 'ready' : 'over', dueMs: null, failures });
  if (!rules.auto) return still({ at: next, phase: 'ready', dueMs: null, failures });
  return still({ at: next, phase: 'pausing', dueMs: nowMs + rules.pauseMs, failures });
}

function edited(run: PlaylistRun, at: number | null, count: number): PlaylistStep {
  if (at !== null) return still({ ...run, at });
  const place = Math.min(run.at, Math.max(0, count - 1));
  const isSpeaking = run.phase === 'speaking';
  // The item was removed: one that speaks falls silent, and an automatic run waits for a press.
  if (isSpeaking || count === 0)
    return { run: { ...NEW_RUN, at: place }, act: isSpeaking ? 'silence' : null };
  return still({ ...run, at: place });
}
