import { RotateCcw, Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import { deepEqual } from '#lib/deep-equal.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { FormOrJson } from '../../settings/form-or-json.tsx';
import { FormView } from '../../settings/form-view.tsx';
import { ServerKeyField } from '../../settings/key-field.tsx';
import { type Setup, useSetup } from '../../settings/use-setup.ts';
import { useCatalogueSource, useSettingLists } from '../../settings/voices/use-catalogue.ts';
import { selectServerId, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { later, Opening } from '../../ui/later.tsx';
import { PanelHead } from '../../ui/page.tsx';
import { CastPanel } from '../cast/cast-panel.tsx';
import { FaultsControl } from '../faults/faults-control.tsx';

const JsonView = later({ name: 'The JSON view', Meanwhile: Opening }, () =>
  import('../../settings/json-view.tsx').then((module) => module.JsonView),
);

export function SetupPanel() {
  const id = useId();
  const setup = useSetup();
  const { endpoint } = setup;
  const view = useSettings((state) => state.setupView);
  const serverId = useSettings(selectServerId);
  const lists = useSettingLists(endpoint, useCatalogueSource(endpoint));

  return (
    <section
      aria-labelledby={id}
      className="painted-alone grid h-full min-h-0 grid-rows-[auto_minmax(0,1fr)_auto] bg-surface text-13"
    >
      <PanelHead id={id} title="Set-up">
        <span className="mr-2">
          <FormOrJson
            label="View of the set-up"
            value={view}
            onChange={(next) => useSettings.setState({ setupView: next })}
          />
        </span>
      </PanelHead>
      <div className="flex min-h-0 flex-col gap-3.5 overflow-y-auto overscroll-contain px-4 py-3">
        <ServerKeyField endpoint={endpoint} serverId={serverId} />
        <FaultsControl />
        {view === 'form' && <CastPanel endpoint={endpoint} voices={lists.voices} />}
        {view === 'form' ? (
          <FormView
            setup={setup}
            lists={lists}
            spoken={WHOLE_TEXT}
            onShowJson={() => useSettings.setState({ setupView: 'json' })}
          />
        ) : (
          <JsonView setup={setup} />
        )}
      </div>
      <Foot setup={setup} />
    </section>
  );
}

const WHOLE_TEXT = { speaker: null };

function Foot({ setup }: { setup: Setup }) {
  const { endpoint, settings, issues } = setup;
  const wrong = !setup.textReadable
    ? 'JSON unreadable'
    : issues.length > 0
      ? `${issues.length} invalid`
      : null;
  const [undo, setUndo] = useState<{ before: Settings; after: Settings } | null>(null);
  const sent = endpoint.settings.filter(({ field }) => settings[field] !== undefined).length;
  const undoable = undo !== null && undo.after === settings;
  const atDefaults = setup.textReadable && deepEqual(settings, endpoint.initialSettings);
  const reset = () => {
    setUndo({ before: settings, after: endpoint.initialSettings });
    setup.replace(endpoint.initialSettings);
  };
  return (
    <footer className="flex h-10 items-center justify-between gap-2 border-t border-border pr-2 pl-4 text-12 text-text-muted touch:h-13">
      <p aria-live="polite" className="min-w-0 truncate">
        {sent} of {endpoint.settings.length} settings sent
        {wrong && <span className="text-failed"> · {wrong}</span>}
      </p>
      {undoable ? (
        <Button
          variant="ghost"
          size="small"
          icon={Undo2}
          onClick={() => {
            setup.replace(undo.before);
            setUndo(null);
          }}
        >
          Undo
        </Button>
      ) : (
        <Button
          variant="ghost"
          size="small"
          icon={RotateCcw}
          onClick={reset}
          disabledReason={atDefaults ? 'These are the defaults' : null}
        >
          Defaults
        </Button>
      )}
    </footer>
  );
}
