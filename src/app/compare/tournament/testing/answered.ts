import type { AnsweredRound, Choice } from '../rounds.ts';

export const answered = (x: string, y: string, choice: Choice): AnsweredRound => ({
  text: 'One.',
  x,
  y,
  choice,
  plays: { x: 1, y: 1 },
  turns: { x: null, y: null },
});
