export interface ControlState {
  /** Nothing but white space to send. */
  empty: boolean;
  emptyWords: string;
  textProblem: string | null;
  obstacle: string | null;
  /** The model that Speak has to wait for. */
  writing: 'simulated' | 'live' | null;
  /** Text was sent, or waits in the box while typing, and no flush after it. */
  openTurn: boolean;
  busy: boolean;
  connected: boolean;
  /** A recording is replayed, which nothing can be sent to. */
  recorded?: boolean;
}

const RECORDED = 'What is shown is not your session. Leave it first.';
const NO_TURN = 'No turn is open: Speak sends text and flushes it at once.';

/** Returns the reason why each control is disabled; null if it is enabled. */
export function controlReasons(state: ControlState) {
  const { obstacle, writing, empty, emptyWords, textProblem, recorded, openTurn, busy, connected } = state;
  const unconnected = recorded ? RECORDED : connected ? null : 'There is no connection.';
  return {
    speak:
      obstacle ?? (writing ? `The ${writing} model is still writing.` : empty ? emptyWords : textProblem),
    // A model that writes one line of a scene leaves the other speakers free. The lines have reasons of their own.
    speakLines: obstacle,
    flush: recorded ? RECORDED : openTurn ? null : NO_TURN,
    cancel: busy ? null : 'Nothing is being spoken.',
    endTurn: unconnected,
    disconnect: unconnected,
  };
}
