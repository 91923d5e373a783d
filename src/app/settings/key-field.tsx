import { CircleAlert, Eye, EyeOff, KeyRound } from 'lucide-react';
import { useId, useState } from 'react';
import { FieldLabel } from '../ui/field-label.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Switch } from '../ui/switch.tsx';
import { TextField } from '../ui/text-field.tsx';

export interface KeyFieldProps {
  value: string;
  onChange: (key: string) => void;
  /** Kept for this tab, by the user's choice. */
  remember: boolean;
  onRemember: (remember: boolean) => void;
  /** Name of the server it is for. */
  server: string;
  required: boolean;
}

/**
 * Hides characters without a password field, which browsers offer to save and complain about outside of a form. Where
 * the style is not known, a password field it is.
 */
const canMask = CSS.supports('-webkit-text-security', 'disc');

/** The key: hidden unless shown on purpose, kept in memory unless told otherwise. */
export function KeyField({ value, onChange, remember, onRemember, server, required }: KeyFieldProps) {
  const id = useId();
  const [revealed, setRevealed] = useState(false);
  const missing = required && value.trim() === '';
  return (
    <div className="flex flex-col gap-1">
      <FieldLabel title="Key" htmlFor={id} trailing={remember ? 'kept in this tab' : 'memory only'} />
      <TextField
        id={id}
        label="Key"
        type={revealed || canMask ? 'text' : 'password'}
        className={revealed ? '' : '[-webkit-text-security:disc]'}
        value={value}
        onChange={onChange}
        icon={KeyRound}
        mono
        invalid={missing}
        aria-describedby={missing ? `${id}-about` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={required ? 'required' : 'none'}
        trailing={
          <IconButton
            label={revealed ? 'Hide key' : 'Show key'}
            icon={revealed ? EyeOff : Eye}
            size="tiny"
            aria-pressed={revealed}
            onClick={() => setRevealed(!revealed)}
            className="mr-1"
          />
        }
      />
      {missing && (
        <p id={`${id}-about`} role="status" className="flex gap-1.5 text-12 text-failed">
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={1.75} />
          {server} needs a key.
        </p>
      )}
      <Switch checked={remember} onChange={onRemember} className="mt-0.5 self-start touch:-my-1">
        Remember in this tab
      </Switch>
    </div>
  );
}
