/** Both with their share of the pause that a sentence ends in anyway. */
const SHORT_PAUSE = ' <break time="250ms"/> ';
const LONG_PAUSE = ' <break time="700ms"/> ';

/** A new line is a short pause, an empty line a long one (`facts 7`), in the engine's own way of writing it. */
export const withPauses = (text: string): string =>
  text.replace(/\s*\n\s*/g, (gap) => (gap.split('\n').length > 2 ? LONG_PAUSE : SHORT_PAUSE));
