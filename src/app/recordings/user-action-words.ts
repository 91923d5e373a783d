import type { UserAction } from '#recordings/format/user-actions.ts';

const ORIGINS = {
  whole: 'as a whole',
  typed: 'as it is typed',
  simulated: 'as a model writes it',
} as const;

/** What a person did, in words for a row of the list. */
export function userActionWords(act: UserAction): string {
  switch (act.kind) {
    case 'begun':
      return act.line === null
        ? `a turn begins, its text ${ORIGINS[act.origin]}`
        : `line ${act.line + 1} of the script begins, its text ${ORIGINS[act.origin]}`;
    case 'line':
      return act.interrupts
        ? 'a line that cuts off the one before it'
        : `a line, ${heardHow(act.listening, act.pauseMs)}`;
    case 'listening':
      return `lines are ${heardHow(act.listening, act.pauseMs)} from now on`;
    case 'cancelled':
      return act.context === null ? 'cancelled by hand' : `cancelled by hand, on ${act.context} alone`;
    case 'disconnected':
      return 'disconnected by hand';
  }
}

const heardHow = (listening: 'together' | 'inTurn', pauseMs: number): string =>
  listening === 'together' ? 'heard at once' : `heard in turn, ${pauseMs} ms apart`;
