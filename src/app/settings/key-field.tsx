import { Eye, EyeOff, KeyRound } from 'lucide-react';
import { useId, useState } from 'react';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { keyOf, keySlot, useKeys } from '../stores/key-store.ts';
import { FieldLabel } from '../ui/field-label.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { NoteLine } from '../ui/notice.tsx';
import { Switch } from '../ui/switch.tsx';
import { TextField } from '../ui/text-field.tsx';

export interface KeyFieldProps {
  slot: string;
  /** The key that applies: as entered, or the server's own. */
  value: string;
  server: string;
  required: boolean;
}

/** Browsers offer to save a password field and warn about one outside of a form, so a style hides the key where it can. */
const canMask = CSS.supports('-webkit-text-security', 'disc');

export function KeyField({ slot, value, server, required }: KeyFieldProps) {
  const id = useId();
  const [revealed, setRevealed] = useState(false);
  const { remember, setKey, setRemember } = useKeys();
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
        onChange={(key) => setKey(slot, key)}
        icon={KeyRound}
        mono
        isSecret
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
        <NoteLine id={`${id}-about`} role="status">
          {server} needs a key.
        </NoteLine>
      )}
      <Switch checked={remember} onChange={setRemember} className="mt-0.5 self-start touch:-my-1">
        Remember in this tab
      </Switch>
    </div>
  );
}

export function ServerKeyField({ endpoint, serverId }: { endpoint: Endpoint; serverId: string }) {
  const value = useKeys((state) => keyOf(state, endpoint.id, serverId));
  const server = endpoint.servers.find(({ id }) => id === serverId);
  return (
    <KeyField
      slot={keySlot(endpoint.id, serverId)}
      value={value}
      server={server?.title ?? 'This server'}
      required={server?.needsKey ?? false}
    />
  );
}
