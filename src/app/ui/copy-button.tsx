import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './icon-button.tsx';

const REFUSED = 'The browser did not allow copying';

export interface CopyButtonProps {
  /** Follows “Copy” in the name. */
  what: string;
  text: () => string;
  size?: 'small' | 'tiny';
}

/** Copies a text and reports the outcome. A `key` of the text resets the report. */
export function CopyButton({ what, text, size = 'small' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  };
  const said = outcome === null ? '' : outcome === 'copied' ? 'Copied' : REFUSED;
  return (
    <>
      <IconButton
        label={said || `Copy ${what}`}
        icon={outcome === 'copied' ? Check : Copy}
        size={size}
        onClick={copy}
      />
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}
