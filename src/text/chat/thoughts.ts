const BEGIN = '<think>';
const END = '</think>';

/**
 * Returns a filter of the tokens of one answer that removes the thoughts at its beginning. Some servers send them as
 * text, marked in this way, and nobody wants to hear them.
 */
export function withoutThoughts(): (token: string) => string {
  let state: 'beginning' | 'thinking' | 'speaking' = 'beginning';
  let held = '';
  return (token) => {
    if (state === 'speaking') return token;
    held += token;
    if (state === 'beginning') {
      const start = held.trimStart();
      if (BEGIN.startsWith(start.slice(0, BEGIN.length)) && start.length < BEGIN.length) return '';
      state = start.startsWith(BEGIN) ? 'thinking' : 'speaking';
    }
    if (state === 'thinking') {
      const end = held.indexOf(END);
      if (end < 0) {
        // Only the beginning of the end mark is still needed.
        held = held.slice(-END.length);
        return '';
      }
      held = held.slice(end + END.length).trimStart();
      state = 'speaking';
    }
    const text = held;
    held = '';
    return text;
  };
}
