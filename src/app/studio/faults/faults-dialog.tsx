import { Info, X } from 'lucide-react';
import type { VendorFailures } from '#protocol/core/endpoint.ts';
import { FAULT_SETS } from '#protocol/faults/fault-sets.ts';
import { describeFaultProblem, type FaultItem, FIRST } from '#protocol/faults/fault-spec.ts';
import { FAULTS, type FaultName, faultForm, whyIdle } from '#protocol/faults/fault-table.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import {
  activeFaults,
  faultDraft,
  setFaultDraft,
  turnFaultsOff,
  turnFaultsOn,
  useFaults,
} from '../../stores/faults-store.ts';
import { faultyBase, serverBase } from '../../stores/server-address.ts';
import { selectEndpoint, selectServerId, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/fields/field.tsx';
import { TitledField } from '../../ui/fields/rows.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import {
  addableFaults,
  faultOf,
  faultProblem,
  itemHolding,
  itemsOf,
  withFault,
  withItem,
  withoutItem,
} from './fault-items.ts';

export function FaultsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      onClose={onClose}
      title="Faults"
      description="Break the connection on purpose, between this page and the server. A reload switches them off."
      width="max-w-[640px]"
    >
      <FaultsForm onClose={onClose} />
    </Dialog>
  );
}

/** Faults as rows and as a text, which are two views of one draft. */
function FaultsForm({ onClose }: { onClose: () => void }) {
  const page = useSettings();
  const endpoint = selectEndpoint(page);
  const draft = useFaults((state) => faultDraft(state, page));
  const active = useFaults((state) => activeFaults(state, page)?.spec ?? null);
  const protocol = protocolOf(endpoint);
  const { failures } = protocol;
  const { overloaded } = failures;
  const problem = draft === '' ? null : faultProblem(draft, protocol);
  const items = itemsOf(draft);
  const wrong = problem ? itemHolding(items, problem.at) : null;
  const change = (spec: string) => setFaultDraft(page, spec);
  return (
    <div className="flex flex-col gap-4 text-13">
      <section aria-label="Sets" className="grid grid-cols-2 gap-2 max-[480px]:grid-cols-1">
        {FAULT_SETS.map((set) => (
          <button
            key={set.id}
            type="button"
            aria-pressed={draft === set.spec(failures)}
            onClick={() => change(set.spec(failures))}
            className="cursor-default rounded-control border border-border-strong px-3 py-2 text-left hover:bg-hover aria-pressed:bg-selected"
          >
            <span className="block font-medium">{set.title}</span>
            <span className="block text-12 text-text-muted">{set.story}</span>
          </button>
        ))}
      </section>
      <Field
        title="Specification"
        mono
        value={draft}
        onChange={change}
        placeholder="latency=200,stall=3000@2"
        hint="Faults with commas between them. n counts from 1 on each connection."
        problem={problem && describeFaultProblem(problem)}
      />
      {items.length > 0 && (
        <ul aria-label="Faults" className="flex flex-col">
          {items.map((item, at) => (
            <FaultRow
              // Rows have no identity besides their place.
              // biome-ignore lint/suspicious/noArrayIndexKey: a typed item changes its content
              key={at}
              item={item}
              number={at + 1}
              failures={failures}
              isWrong={at === wrong}
              onChange={(next) => change(withItem(draft, at, next))}
              onRemove={() => change(withoutItem(draft, at))}
            />
          ))}
        </ul>
      )}
      <Select<FaultName>
        label="Add a fault"
        placeholder="Add a fault"
        className="self-start"
        value={null}
        onChange={(name) => change(withFault(draft, name, overloaded))}
        options={addableFaults(draft).map((name) => ({
          value: name,
          label: <code className="font-mono text-12">{faultForm(name)}</code>,
          hint: plainEffect(name),
        }))}
      />
      <OwnBase spec={draft !== '' && problem === null ? draft : null} />
      <footer className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-t border-border bg-surface-raised px-5 py-3">
        {active !== null && <NotMarked />}
        {active !== null && <Button onClick={turnFaultsOff}>Switch off</Button>}
        <Button
          variant="filled"
          disabledReason={
            draft === ''
              ? 'Choose a set or add a fault'
              : problem
                ? 'Correct the specification first'
                : draft === active
                  ? 'These faults are on'
                  : null
          }
          onClick={() => {
            turnFaultsOn(page, draft);
            onClose();
          }}
        >
          {active === null ? 'Switch on' : 'Use these'}
        </Button>
      </footer>
    </div>
  );
}

interface FaultRowProps {
  item: FaultItem;
  number: number;
  failures: VendorFailures;
  isWrong: boolean;
  onChange: (change: Partial<FaultItem>) => void;
  onRemove: () => void;
}

function FaultRow({ item, number, failures, isWrong, onChange, onRemove }: FaultRowProps) {
  const fault = faultOf(item);
  const name = `${item.name || 'Fault'} ${number}`;
  const value = item.value ?? '';
  const place = item.at ?? '';
  const hasValue = fault?.value != null;
  const isName = fault?.value?.unit === 'NAME';
  const idle = fault && whyIdle(fault.name, failures);
  const { errors } = failures;
  return (
    <li className="relative flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-t border-border py-2 pr-10 touch:pr-12">
      <code className="min-w-28 font-mono text-12 font-medium max-[480px]:w-full max-[480px]:py-1.5">
        {item.name || '(nothing)'}
      </code>
      {hasValue && isName && (
        <Select
          label={`Error of ${name}`}
          size="small"
          mono
          value={errors.includes(value) ? value : null}
          invalid={isWrong}
          onChange={(next) => onChange({ value: next })}
          options={errors.map((error) => ({ value: error, label: error }))}
        />
      )}
      {hasValue && !isName && (
        <TextField
          label={`Value of ${name}`}
          mono
          className="w-32"
          value={value}
          onChange={(next) => onChange({ value: next })}
          invalid={isWrong}
          inputMode={fault.value?.unit === 'name' ? 'text' : 'numeric'}
          trailing={<span className="shrink-0 pr-2 text-12 text-text-subtle">{fault.value?.unit}</span>}
        />
      )}
      {fault?.at && (
        <TextField
          label={`Place of ${name}`}
          mono
          className="w-36"
          value={place}
          onChange={(next) => onChange({ at: next })}
          invalid={isWrong}
          inputMode="numeric"
          trailing={<span className="shrink-0 pr-2 text-12 text-text-subtle">{fault.at}</span>}
        />
      )}
      {fault && !fault.isSetting && (
        <Switch
          checked={item.only === FIRST}
          onChange={(isFirst) => onChange({ only: isFirst ? FIRST : null })}
        >
          First connection only<span className="sr-only"> of {name}</span>
        </Switch>
      )}
      <IconButton
        label={`Remove ${name}`}
        icon={X}
        size="tiny"
        onClick={onRemove}
        className="absolute top-2 right-0 touch:top-0"
      />
      <p className="w-full text-12 text-text-muted">
        {fault ? <Effect name={fault.name} /> : 'No fault has this name.'}
        {idle && <span className="text-waiting"> It has no effect here, because {idle}.</span>}
        {fault?.range && <span className="text-text-subtle"> Accepts {fault.range}.</span>}
      </p>
    </li>
  );
}

const plainEffect = (name: FaultName): string => FAULTS[name].effect.replaceAll('`', '');

/** The effects are Markdown, with other faults between backticks. */
const Effect = ({ name }: { name: FaultName }) => (
  <>
    {FAULTS[name].effect.split('`').map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : (
        <code key={part} className="font-mono">
          {part}
        </code>
      ),
    )}
  </>
);

/** The base for another program, without the mark of this page. */
function OwnBase({ spec }: { spec: string | null }) {
  const base = useSettings((page) =>
    serverBase(selectEndpoint(page), selectServerId(page), '', location.origin),
  );
  if (base === null || spec === null) return null;
  const address = faultyBase(base, spec);
  return (
    <section aria-label="Base URL">
      <TitledField title="Base URL for your own application">
        <div className="flex items-center gap-2 rounded-control border border-border bg-field py-1 pr-1 pl-2.5">
          <code className="min-w-0 flex-1 font-mono text-12 break-all">{address}</code>
          <CopyButton key={address} what="base URL" text={() => address} />
        </div>
      </TitledField>
    </section>
  );
}

function NotMarked() {
  const isConnected = useRecordings((state) => state.clients !== null);
  if (isConnected) return null;
  return (
    <NoteLine isMuted icon={Info}>
      The server reports no strikes: its capture is off or cannot be reached.
    </NoteLine>
  );
}
