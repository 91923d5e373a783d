import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './icon-button.tsx';

const COPIED = 'Copied';

/** Returns a function that copies a text, and its outcome in words; empty before the first copy. */
export function useCopy(text: () => string) {
  const [said, setSaid] = useState('');
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid(COPIED),
      () => setSaid('The browser did not allow copying'),
    );
  };
  return { said, copy };
}

export interface CopyButtonProps {
  /** Follows “Copy” in the name. */
  what: string;
  text: () => string;
  size?: 'small' | 'tiny';
}

/** Copies a text and reports the outcome. A `key` of the text resets the report. */
export function CopyButton({ what, text, size = 'small' }: CopyButtonProps) {
  const { said, copy } = useCopy(text);
  return (
    <>
      <IconButton
        label={said || `Copy ${what}`}
        icon={said === COPIED ? Check : Copy}
        size={size}
        onClick={copy}
      />
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}
