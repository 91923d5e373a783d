import { List, RotateCcw } from 'lucide-react';
import { useId, useState } from 'react';
import { API_ROLES, type ApiRole, type ApiRoleId } from '#text/api/api-role.ts';
import { type ApiServer, listModels } from '#text/api/api-server.ts';
import { apiKeySlot, apiTarget } from '../stores/api-target.ts';
import { useKeys } from '../stores/key-store.ts';
import { addressProblem } from '../stores/server-address.ts';
import {
  DEFAULT_LIVE_MODEL,
  MAX_SYSTEM_PROMPT_CHARS,
  MAX_THOUGHT_TAG_CHARS,
  type PageSettings,
  useSettings,
} from '../stores/settings-store.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/fields/field.tsx';
import { Form } from '../ui/fields/form.tsx';
import { TitledField } from '../ui/fields/rows.tsx';
import { NoteLine } from '../ui/notice.tsx';
import { Dialog } from '../ui/popups/dialog.tsx';
import { Select } from '../ui/select.tsx';
import { Switch } from '../ui/switch.tsx';
import { AddressField } from './address-field.tsx';
import { KeyField } from './key-field.tsx';

const AREA =
  'field-sizing-content block max-h-48 min-h-20 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13 text-text';

/** `sent` begins the sentence that says what goes to the server. `Fields` are below base URL, model and key. */
const TEXTS = {
  liveModel: {
    title: 'Live model',
    description:
      'Any server of OpenAI’s chat completions, such as Ollama, llama.cpp or vLLM. The page asks it directly.',
    sent: 'Questions and history go',
    exampleModel: 'llama3.2',
    Fields: ModelAnswers,
  },
  transcription: {
    title: 'Check what was spoken',
    description:
      'A server of OpenAI’s transcriptions, such as whisper.cpp, speaches or vLLM, hears the sound of a turn. The page shows which words of the text were not spoken.',
    sent: 'The sound of checked turns goes',
    exampleModel: 'Systran/faster-whisper-small',
    Fields: Language,
  },
} as const;

/** Returns the settings of a server, and a function that changes some of them. */
function useTyped<Role extends ApiRoleId>(role: Role) {
  const typed = useSettings((state) => state[role]);
  const change = (part: Partial<PageSettings[Role]>) =>
    useSettings.setState({ [role]: { ...typed, ...part } });
  return [typed, change] as const;
}

/** The set-up of a server of OpenAI's API, which the page asks directly. */
export function ApiServerDialog({ use, onClose }: { use: ApiRoleId; onClose: () => void }) {
  const { sent, exampleModel, Fields, ...words } = TEXTS[use];
  const [typed, change] = useTyped(use);
  const server = apiTarget(use, typed, useKeys());
  const problem = addressProblem(typed.base, 'http');
  return (
    <Dialog onClose={onClose} {...words}>
      <Form className="flex flex-col gap-4" onSubmit={onClose}>
        <AddressField
          title="Base URL"
          scheme="http"
          value={typed.base}
          onChange={(base) => change({ base })}
          maxLength={300}
          hint={problem === null && `${sent} to ${new URL(server.base).host}.`}
        />
        <ModelField
          // The list of one server is not that of another.
          key={server.base}
          role={API_ROLES[use]}
          server={problem === null ? server : null}
          value={typed.model}
          onChange={(model) => change({ model })}
          placeholder={exampleModel}
        />
        <KeyField
          slot={apiKeySlot(use, typed.base)}
          value={server.key}
          server={API_ROLES[use].name}
          required={false}
        />
        <Fields />
        <div className="flex justify-end">
          <Button variant="filled" onClick={onClose}>
            Done
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function ModelAnswers() {
  const [{ thoughtTag, thinksFirst }, change] = useTyped('liveModel');
  return (
    <>
      <SystemPrompt />
      <Field
        title="Tag of thoughts"
        mono
        value={thoughtTag}
        onChange={(next) => change({ thoughtTag: next })}
        placeholder="plan"
        maxLength={MAX_THOUGHT_TAG_CHARS}
        hint="Not spoken, beside the usual ones such as <think> and [THINK]."
      />
      <Switch checked={thinksFirst} onChange={(next) => change({ thinksFirst: next })} className="self-start">
        Answers begin with thoughts, and only their end is marked
      </Switch>
    </>
  );
}

function SystemPrompt() {
  const id = useId();
  const [typed, change] = useTyped('liveModel');
  const { systemPrompt } = DEFAULT_LIVE_MODEL;
  return (
    <TitledField
      title="System prompt"
      htmlFor={id}
      trailing={
        <Button
          variant="ghost"
          size="small"
          icon={RotateCcw}
          onClick={() => change({ systemPrompt })}
          disabledReason={typed.systemPrompt === systemPrompt ? 'This is the default' : null}
        >
          Default
        </Button>
      }
    >
      <textarea
        id={id}
        className={AREA}
        value={typed.systemPrompt}
        maxLength={MAX_SYSTEM_PROMPT_CHARS}
        onChange={(event) => change({ systemPrompt: event.target.value })}
      />
    </TitledField>
  );
}

function Language() {
  const [{ language }, change] = useTyped('transcription');
  return (
    <Field
      title="Language"
      mono
      value={language}
      onChange={(next) => change({ language: next })}
      placeholder="as the server hears it"
      maxLength={20}
      hint="A code such as en or de, if all turns have one language."
    />
  );
}

/** Null: not asked for. A fault: why it is unknown. */
type ModelList = null | 'loading' | Awaited<ReturnType<typeof listModels>>;

interface ModelFieldProps {
  role: ApiRole;
  /** Null for an address that cannot be used. */
  server: ApiServer | null;
  value: string;
  onChange: (model: string) => void;
  placeholder: string;
}

function ModelField({ role, server, value, onChange, placeholder }: ModelFieldProps) {
  const [models, setModels] = useState<ModelList>(null);
  const list = async () => {
    if (!server) return;
    setModels('loading');
    setModels(await listModels(role, server));
  };
  return (
    <div className="flex flex-col gap-1">
      <Field
        title="Model"
        aside={
          <Button
            variant="ghost"
            size="small"
            icon={List}
            onClick={() => void list()}
            disabledReason={server ? null : 'The base URL cannot be used.'}
          >
            List models
          </Button>
        }
        mono
        value={value}
        onChange={onChange}
        placeholder={placeholder}
        maxLength={200}
      />
      <Models list={models} chosen={value} onChoose={onChange} />
    </div>
  );
}

interface ModelsProps {
  list: ModelList;
  chosen: string;
  onChoose: (model: string) => void;
}

function Models({ list, chosen, onChoose }: ModelsProps) {
  if (list === null) return null;
  if (list === 'loading') return <p className="text-12 text-text-muted">Asking the server …</p>;
  if (!Array.isArray(list)) {
    return <NoteLine role="alert">{`${list.title}. ${list.detail} ${list.remedy}`}</NoteLine>;
  }
  if (list.length === 0) return <p className="text-12 text-text-muted">The server has no models yet.</p>;
  return (
    <Select
      label="Models of the server"
      size="small"
      mono
      value={list.includes(chosen) ? chosen : null}
      placeholder={`Choose one of ${list.length}`}
      onChange={onChoose}
      options={list.map((model) => ({ value: model, label: model }))}
    />
  );
}
