import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { endpointOf } from '#protocol/registry.ts';
import { AddressField } from '../settings/address-field.tsx';
import { EndpointSelect } from '../settings/endpoint-select.tsx';
import { FormOrJson } from '../settings/form-or-json.tsx';
import { FormView } from '../settings/form-view.tsx';
import { JsonView } from '../settings/json-view.tsx';
import { ServerKeyField } from '../settings/key-field.tsx';
import { SettingRows } from '../settings/setting-rows.tsx';
import { changedFields, withFields } from '../settings/setting-value.ts';
import { useSetupOf } from '../settings/use-setup.ts';
import { useCatalogueSourceOf, useSettingLists } from '../settings/voices/use-catalogue.ts';
import { VoiceControl } from '../settings/voices/voice-control.tsx';
import { settingChange } from '../settings/voices/voice-options.ts';
import { CUSTOM_SERVER, selectDraft, useSettings } from '../stores/settings-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/popups/dialog.tsx';
import { Select } from '../ui/select.tsx';
import { serverOptions } from '../wording/server-options.ts';
import { changeSide, setSide, studioSide, useCompare, useSideVoices } from './compare-store.ts';
import {
  type BySide,
  hueOf,
  nameOf,
  otherSide,
  type Side,
  voicedSettings,
  voiceSettingOf,
  withVoicedSettings,
} from './side.ts';

interface SideCardsProps {
  sides: BySide<Side> & Readonly<Record<string, Side>>;
  /** Returns further buttons of a configuration. */
  tools: (id: string) => ReactNode;
}

export const SideCards = ({ sides, tools }: SideCardsProps) => (
  <div className="grid gap-4 wide:grid-cols-2">
    {Object.entries(sides).map(([id, side]) => (
      <SideCard key={id} id={id} side={side} other={sides[otherSide(id)]}>
        {tools(id)}
      </SideCard>
    ))}
  </div>
);

interface SideCardProps {
  id: string;
  side: Side;
  /** The side from which its differences are named. */
  other: Side;
  children: ReactNode;
}

function SideCard({ id, side, other, children }: SideCardProps) {
  const name = nameOf(id);
  const voices = useSideVoices(side);
  const { endpoint } = voices;
  const [isOpen, setOpen] = useState(false);
  const server = endpoint.servers.find((candidate) => candidate.id === side.server);
  const voice = voiceSettingOf(endpoint);
  const settings = voicedSettings(side);
  const change = (edit: (side: Side) => Side) => changeSide(id, side, edit);
  const changeVoice = (chosen: unknown) => {
    if (!voice) return;
    const fields = settingChange(voice, chosen, voices.items);
    change((now) => withVoicedSettings(now, withFields(voicedSettings(now), fields)));
  };
  return (
    <section
      aria-label={`Configuration ${name}`}
      data-voice={hueOf(id)}
      className="flex min-w-0 flex-1 flex-col gap-3 rounded-panel border border-border bg-surface p-4"
    >
      <header className="flex items-center gap-2">
        <h3 className="flex size-7 items-center justify-center rounded-control bg-voice-tint text-14 font-semibold text-voice">
          {name}
        </h3>
        <div className="flex min-w-0 flex-1 items-center">
          <EndpointSelect
            label={`Endpoint of ${name}`}
            quiet
            value={endpoint.id}
            onChange={(next) => setSide(id, studioSide(next))}
          />
          <span className="text-12 text-text-subtle max-wide:sr-only">on</span>
          <Select
            label={`Server of ${name}`}
            quiet
            value={side.server}
            onChange={(next) => change((now) => ({ ...now, server: next }))}
            options={serverOptions(endpoint.servers, { label: 'Custom address' })}
          />
        </div>
      </header>
      {side.server === CUSTOM_SERVER && (
        <AddressField
          title={`Address of ${name}`}
          value={side.customBase}
          onChange={(customBase) => change((now) => ({ ...now, customBase }))}
          placeholder="wss://tts.example.com"
        />
      )}
      {(server?.needsKey || side.server === CUSTOM_SERVER) && (
        <ServerKeyField endpoint={endpoint} serverId={side.server} />
      )}
      {voice && (
        <VoiceControl
          setting={voice}
          value={settings[voice.field]}
          onChange={changeVoice}
          invalid={false}
          describedBy={`differs-${id}`}
          voices={voices}
        />
      )}
      <footer className="mt-auto flex flex-wrap items-center gap-2">
        <p id={`differs-${id}`} className="min-w-0 flex-1 basis-full text-12 roomy:basis-40 text-text-muted">
          {differsText(side, nameOf(otherSide(id)), other)}
        </p>
        <Button size="small" icon={SlidersHorizontal} onClick={() => setOpen(true)}>
          Settings of {name}
        </Button>
        {children}
      </footer>
      {isOpen && <SideSettings id={id} side={side} onClose={() => setOpen(false)} />}
    </section>
  );
}

function differsText(side: Side, otherName: string, other: Side): string {
  const fields =
    side.endpoint === other.endpoint
      ? [...changedFields(side.settings, other.settings), ...changedFields(side.speaker, other.speaker)]
      : ['endpoint'];
  if (side.server !== other.server) fields.push('server');
  if (fields.length === 0) return `The same as ${otherName}.`;
  return `Differs from ${otherName} in ${[...new Set(fields)].join(', ')}.`;
}

function SideSettings({ id, side, onClose }: { id: string; side: Side; onClose: () => void }) {
  const endpoint = endpointOf(side.endpoint);
  const [view, setView] = useState<'form' | 'json'>('form');
  const setup = useSetupOf(endpoint, side.settings, (change) =>
    changeSide(id, side, (now) => ({ ...now, settings: change(now.settings) })),
  );
  const lists = useSettingLists(endpoint, useCatalogueSourceOf(endpoint, side.server, side.customBase));
  const rules = endpoint.contexts;
  const draft = useSettings(selectDraft);
  const text = useCompare((state) => state.text) ?? draft;
  return (
    <Dialog
      onClose={onClose}
      title={`Settings of ${nameOf(id)}`}
      description="They hold for the comparison only; Set-up in the studio keeps its own."
    >
      <div className="flex flex-col gap-4 text-13">
        <FormOrJson
          label={`View of the settings of ${nameOf(id)}`}
          className="self-start"
          value={view}
          onChange={setView}
        />
        {rules && (
          <section aria-label="The speaker's context" className="flex flex-col gap-4">
            <SettingRows
              settings={rules.settings}
              values={side.speaker}
              issues={rules.checkSettings(side.speaker)}
              spoken={{ text }}
              onChange={(fields) =>
                changeSide(id, side, (now) => ({ ...now, speaker: withFields(now.speaker, fields) }))
              }
              {...lists}
            />
          </section>
        )}
        {view === 'form' ? (
          <FormView setup={setup} lists={lists} spoken={{ text }} onShowJson={() => setView('json')} />
        ) : (
          <JsonView setup={setup} />
        )}
      </div>
    </Dialog>
  );
}
