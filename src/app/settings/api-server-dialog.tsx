import { List } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ENDPOINTS } from '#protocol/registry.ts';
import { API_ROLES, type ApiRole, type ApiRoleId } from '#text/api/api-role.ts';
import { type ApiServer, listModels } from '#text/api/api-server.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { apiKeySlot, apiTarget, type TypedServer } from '../stores/api-target.ts';
import { useKeys } from '../stores/key-store.ts';
import { addressProblem, policyProblem } from '../stores/server-address.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/fields/field.tsx';
import { Form } from '../ui/fields/form.tsx';
import { NoteLine, Notice } from '../ui/notice.tsx';
import { Dialog } from '../ui/popups/dialog.tsx';
import { Select } from '../ui/select.tsx';
import { KeyField } from './key-field.tsx';

interface ApiServerDialogProps {
  use: ApiRoleId;
  title: string;
  description: string;
  typed: TypedServer;
  onChange: (part: Partial<TypedServer>) => void;
  /** Begins the sentence that says what goes there. */
  sent: string;
  exampleModel: string;
  onClose: () => void;
  /** Fields below base URL, model and key. */
  children: ReactNode;
}

/** The set-up of a server of OpenAI's API, which the page asks directly. */
export function ApiServerDialog({
  use,
  typed,
  onChange,
  sent,
  exampleModel,
  ...dialog
}: ApiServerDialogProps) {
  const server = apiTarget(use, typed, useKeys());
  const problem = addressProblem(typed.base, 'http');
  const policy = HAS_LOCAL_SERVER ? policyProblem(typed.base, ENDPOINTS, location.host, 'http') : null;
  return (
    <Dialog onClose={dialog.onClose} title={dialog.title} description={dialog.description}>
      <Form className="flex flex-col gap-4" onSubmit={dialog.onClose}>
        <Field
          title="Base URL"
          mono
          value={typed.base}
          onChange={(base) => onChange({ base })}
          maxLength={300}
          hint={problem === null && `${sent} to ${new URL(server.base).host}.`}
          problem={problem}
        />
        {policy && (
          <Notice severity="warning" title="The page may not connect there yet">
            {policy}
          </Notice>
        )}
        <ModelField
          // The list of one server is not that of another.
          key={server.base}
          role={API_ROLES[use]}
          server={problem === null ? server : null}
          value={typed.model}
          onChange={(model) => onChange({ model })}
          placeholder={exampleModel}
        />
        <KeyField
          slot={apiKeySlot(use, typed.base)}
          value={server.key}
          server={API_ROLES[use].name}
          required={false}
        />
        {dialog.children}
        <div className="flex justify-end">
          <Button variant="filled" onClick={dialog.onClose}>
            Done
          </Button>
        </div>
      </Form>
    </Dialog>
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
