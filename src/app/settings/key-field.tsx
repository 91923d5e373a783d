import { Eye, EyeOff, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { keyOf, keySlot, useKeys } from '../stores/key-store.ts';
import { serverOf } from '../stores/settings-store.ts';
import { Field } from '../ui/fields/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Switch } from '../ui/switch.tsx';

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
  const [revealed, setRevealed] = useState(false);
  const { remember, setKey, setRemember } = useKeys();
  return (
    <div className="flex flex-col gap-1">
      <Field
        title="Key"
        aside={remember ? 'kept in this tab' : 'memory only'}
        type={revealed || canMask ? 'text' : 'password'}
        className={revealed ? '' : '[-webkit-text-security:disc]'}
        value={value}
        onChange={(key) => setKey(slot, key)}
        icon={KeyRound}
        mono
        isSecret
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
        problem={required && value.trim() === '' ? `${server} needs a key.` : null}
      />
      <Switch checked={remember} onChange={setRemember} className="mt-0.5 self-start touch:-my-1">
        Remember in this tab
      </Switch>
    </div>
  );
}

export function ServerKeyField({ endpoint, serverId }: { endpoint: Endpoint; serverId: string }) {
  const value = useKeys((state) => keyOf(state, endpoint.id, serverId));
  const server = serverOf(endpoint, serverId);
  return (
    <KeyField
      slot={keySlot(endpoint.id, serverId)}
      value={value}
      server={server?.title ?? 'This server'}
      required={server?.needsKey ?? false}
    />
  );
}
