import { useState } from 'react';

export interface DraftText {
  text: string;
  /** What stands there says nothing that could be sent. */
  unreadable: boolean;
  change: (text: string) => void;
  /** On leaving the field: the text is that of the value again. */
  settle: () => void;
}

/**
 * Text of a value while it is typed: the typing stays as typed, every readable state of it becomes the value at
 * once, and nothing is rewritten under the cursor.
 */
export function useDraftText<T>(
  shown: string,
  parse: (text: string) => T | undefined | null,
  commit: (value: T | undefined) => void,
): DraftText {
  const [draft, setDraft] = useState<string | null>(null);
  return {
    text: draft ?? shown,
    unreadable: draft !== null && parse(draft) === null,
    change: (text) => {
      setDraft(text);
      const value = parse(text);
      if (value !== null) commit(value);
    },
    settle: () => setDraft(null),
  };
}
