import { List, RotateCcw } from 'lucide-react';
import { useId, useState } from 'react';
import { ENDPOINTS } from '#protocol/registry.ts';
import { listModels } from '#text/chat/model-server.ts';
import { HAS_LOCAL_SERVER } from '../../browser/local-server.ts';
import { KeyField } from '../../settings/key-field.tsx';
import { useKeys } from '../../stores/key-store.ts';
import { addressProblem, policyProblem } from '../../stores/server-address.ts';
import {
  DEFAULT_LIVE_MODEL,
  MAX_SYSTEM_PROMPT_CHARS,
  type PageSettings,
  useSettings,
} from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/fields/field.tsx';
import { FieldLabel } from '../../ui/fields/field-label.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { NoteLine, Notice } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { modelBase, modelKey, modelKeySlot } from './model-target.ts';

const AREA =
  'field-sizing-content block max-h-48 min-h-20 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13 text-text';

/** Null: not asked for. A fault: why it is unknown. */
type ModelList = null | 'loading' | Awaited<ReturnType<typeof listModels>>;

export function ModelDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const liveModel = useSettings((state) => state.liveModel);
  const key = useKeys((state) => modelKey({ liveModel }, state));
  const problem = addressProblem(liveModel.base, 'http');
  const policy = HAS_LOCAL_SERVER ? policyProblem(liveModel.base, ENDPOINTS, location.host, 'http') : null;
  const change = (part: Partial<PageSettings['liveModel']>) =>
    useSettings.setState({ liveModel: { ...liveModel, ...part } });
  const base = modelBase({ liveModel });
  const { systemPrompt } = DEFAULT_LIVE_MODEL;
  return (
    <Dialog
      onClose={onClose}
      title="Live model"
      description="Any server of OpenAI’s chat completions, such as Ollama, llama.cpp or vLLM. The page asks it directly."
    >
      <Form className="flex flex-col gap-4" onSubmit={onClose}>
        <Field
          title="Base URL"
          mono
          value={liveModel.base}
          onChange={(typed) => change({ base: typed })}
          placeholder={DEFAULT_LIVE_MODEL.base}
          maxLength={300}
          hint={problem === null && `Questions and history go to ${new URL(base).host}.`}
          problem={problem}
        />
        {policy && (
          <Notice severity="warning" title="The page may not connect there yet">
            {policy}
          </Notice>
        )}
        <ModelField
          // The list of one server is not that of another.
          key={base}
          server={problem === null ? { base, key } : null}
          value={liveModel.model}
          onChange={(model) => change({ model })}
        />
        <KeyField slot={modelKeySlot({ liveModel })} value={key} server="The model server" required={false} />
        <div className="flex flex-col gap-1">
          <FieldLabel
            title="System prompt"
            htmlFor={id}
            trailing={
              <Button
                variant="ghost"
                size="small"
                icon={RotateCcw}
                onClick={() => change({ systemPrompt })}
                disabledReason={liveModel.systemPrompt === systemPrompt ? 'This is the default' : null}
              >
                Default
              </Button>
            }
          />
          <textarea
            id={id}
            className={AREA}
            value={liveModel.systemPrompt}
            maxLength={MAX_SYSTEM_PROMPT_CHARS}
            onChange={(event) => change({ systemPrompt: event.target.value })}
          />
        </div>
        <div className="flex justify-end">
          <Button variant="filled" onClick={onClose}>
            Done
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface ModelFieldProps {
  /** Null for an address that cannot be used. */
  server: Parameters<typeof listModels>[0] | null;
  value: string;
  onChange: (model: string) => void;
}

function ModelField({ server, value, onChange }: ModelFieldProps) {
  const [models, setModels] = useState<ModelList>(null);
  const list = async () => {
    if (!server) return;
    setModels('loading');
    setModels(await listModels(server));
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
        placeholder="llama3.2"
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
