/** Reason why each control is disabled; null if it is enabled. */
export interface ControlReasons {
  speak: string | null;
  /** Speaking a part of a script; the lines have reasons of their own. */
  speakLines: string | null;
  flush: string | null;
  cancel: string | null;
  endTurn: string | null;
  disconnect: string | null;
}

export interface ControlState {
  /** Nothing but white space to send. */
  empty: boolean;
  /** The reason in that case. */
  emptyWords: string;
  /** Problem of the text, if any. */
  textProblem: string | null;
  /** Reason why no connection can be made. */
  obstacle: string | null;
  /** A simulated model is writing. */
  simulating: boolean;
  /** Text was sent, or waits in the box while typing, and no flush after it. */
  openTurn: boolean;
  /** Something is being spoken, generated or replayed. */
  busy: boolean;
  connected: boolean;
  /** A recording is replayed, so that nothing that is shown can be sent to. */
  recorded?: boolean;
}

const RECORDED = 'What is shown is a recording. Leave the replay first.';

/** The rules of the controls, in one place. */
export function controlReasons(state: ControlState): ControlReasons {
  return {
    speak:
      state.obstacle ??
      (state.simulating
        ? 'The simulated model is still writing.'
        : state.empty
          ? state.emptyWords
          : state.textProblem),
    // A model that writes one line of a scene leaves the other speakers free.
    speakLines: state.obstacle,
    flush: state.recorded
      ? RECORDED
      : state.openTurn
        ? null
        : 'No turn is open: Speak sends text and flushes it at once.',
    cancel: state.busy ? null : 'Nothing is being spoken.',
    endTurn: state.recorded ? RECORDED : state.connected ? null : 'There is no connection.',
    disconnect: state.recorded ? RECORDED : state.connected ? null : 'There is no connection.',
  };
}
