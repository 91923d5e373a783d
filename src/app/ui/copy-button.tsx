import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './icon-button.tsx';

const COPIED = 'Copied';
const REFUSED = 'The browser did not allow copying';

export interface CopyButtonProps {
  /** Follows “Copy” in the name. */
  what: string;
  text: () => string;
  size?: 'small' | 'tiny';
}

/** Copies a text and reports the outcome. A `key` of the text resets the report. */
export function CopyButton({ what, text, size = 'small' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<typeof COPIED | typeof REFUSED | ''>('');
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setOutcome(COPIED),
      () => setOutcome(REFUSED),
    );
  };
  return (
    <>
      <IconButton
        label={outcome || `Copy ${what}`}
        icon={outcome === COPIED ? Check : Copy}
        size={size}
        onClick={copy}
      />
      <span role="status" className="sr-only">
        {outcome}
      </span>
    </>
  );
}
