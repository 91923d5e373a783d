import { useMemo, useState } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { endpointOf } from '#protocol/registry.ts';
import { FormOrJson } from '../settings/form-or-json.tsx';
import { FormView } from '../settings/form-view.tsx';
import { JsonView } from '../settings/json-view.tsx';
import { SettingRows } from '../settings/setting-rows.tsx';
import { withFields } from '../settings/setting-value.ts';
import { useSetupOf } from '../settings/use-setup.ts';
import {
  type CatalogueList,
  useCatalogueSourceOf,
  useDictionaries,
  useOffered,
} from '../settings/voices/use-catalogue.ts';
import { Dialog } from '../ui/popups/dialog.tsx';
import { changeSide } from './compare-store.ts';
import { nameOf, type Side } from './side.ts';

interface SideSettingsProps {
  id: string;
  side: Side;
  voices: CatalogueList<VoiceInfo>;
  open: boolean;
  onClose: () => void;
}

export function SideSettings(props: SideSettingsProps) {
  const { id, open, onClose } = props;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Settings of ${nameOf(id)}`}
      description="They hold for the comparison only; Set-up in the studio keeps its own."
    >
      <AllSettings {...props} />
    </Dialog>
  );
}

function AllSettings({ id, side, voices }: SideSettingsProps) {
  const endpoint = endpointOf(side.endpoint);
  const [view, setView] = useState<'form' | 'json'>('form');
  const setup = useSetupOf(endpoint, side.settings, (change) =>
    changeSide(id, side, (now) => ({ ...now, settings: change(now.settings) })),
  );
  const source = useCatalogueSourceOf(endpoint, side.server, side.customBase);
  const dictionaries = useDictionaries(endpoint, source);
  const offered = useOffered(endpoint, source);
  const rules = endpoint.contexts;
  const issues = useMemo(() => rules?.checkSettings(side.speaker) ?? [], [rules, side.speaker]);
  return (
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
            issues={issues}
            voices={voices}
            onChange={(fields) =>
              changeSide(id, side, (now) => ({ ...now, speaker: withFields(now.speaker, fields) }))
            }
          />
        </section>
      )}
      {view === 'form' ? (
        <FormView
          setup={setup}
          voices={voices}
          dictionaries={dictionaries}
          offered={offered}
          onShowJson={() => setView('json')}
        />
      ) : (
        <JsonView setup={setup} />
      )}
    </div>
  );
}
