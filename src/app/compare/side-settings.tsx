import { useState } from 'react';
import { endpointOf } from '#protocol/registry.ts';
import { FormOrJson } from '../settings/form-or-json.tsx';
import { FormView } from '../settings/form-view.tsx';
import { JsonView } from '../settings/json-view.tsx';
import { SettingRows } from '../settings/setting-rows.tsx';
import { withFields } from '../settings/setting-value.ts';
import { useSetupOf } from '../settings/use-setup.ts';
import { useCatalogueSourceOf, useSettingLists } from '../settings/voices/use-catalogue.ts';
import { selectDraft, useSettings } from '../stores/settings-store.ts';
import { Dialog } from '../ui/popups/dialog.tsx';
import { changeSide, useCompare } from './compare-store.ts';
import { nameOf, type Side } from './side.ts';

export function SideSettings({ id, side, onClose }: { id: string; side: Side; onClose: () => void }) {
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
