import { useId, useState } from 'react';
import { ENDPOINTS } from '#protocol/registry.ts';
import { HAS_LOCAL_SERVER } from '../../browser/local-server.ts';
import { EndpointSelect } from '../../settings/endpoint-select.tsx';
import { addressProblem, policyProblem } from '../../stores/server-address.ts';
import { CUSTOM_SERVER, selectEndpoint, selectServerId, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldLabel } from '../../ui/field-label.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { serverHint } from '../../wording/server-hint.ts';

export function PageEndpoint() {
  const endpoint = useSettings(selectEndpoint);
  const choose = useSettings((state) => state.chooseEndpoint);
  return <EndpointSelect label="Endpoint" quiet value={endpoint.id} onChange={choose} />;
}

export function ServerSelect() {
  const endpoint = useSettings(selectEndpoint);
  const serverId = useSettings(selectServerId);
  const customBase = useSettings((state) => state.customBases[endpoint.id] ?? '');
  const choose = useSettings((state) => state.chooseServer);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Select
        label="Server"
        quiet
        value={serverId}
        onChange={(id) => (id === CUSTOM_SERVER ? setAsking(true) : choose(id))}
        options={[
          ...endpoint.servers.map((server) => ({
            value: server.id,
            label: server.title,
            hint: serverHint(server),
          })),
          {
            value: CUSTOM_SERVER,
            label: serverId === CUSTOM_SERVER ? hostOf(customBase) : 'Custom address…',
            hint:
              serverId === CUSTOM_SERVER
                ? 'custom address, press to change'
                : 'any server that speaks this protocol',
          },
        ]}
      />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Custom address"
        description={`A server that speaks ${endpoint.title}. Its path ${endpoint.path} is added.`}
      >
        <AddressForm stored={customBase} onClose={() => setAsking(false)} />
      </Dialog>
    </>
  );
}

const hostOf = (base: string): string =>
  addressProblem(base) === null ? new URL(base).host : 'Custom address';

function AddressForm({ stored, onClose }: { stored: string; onClose: () => void }) {
  const { setCustomBase, chooseServer } = useSettings.getState();
  const [typed, setTyped] = useState(stored);
  const [tried, setTried] = useState(false);
  const why = useId();
  const problem = addressProblem(typed);
  // Only our own server sets a policy.
  const policy = HAS_LOCAL_SERVER ? policyProblem(typed, ENDPOINTS, location.host) : null;
  const use = () => {
    setTried(true);
    if (problem) return;
    setCustomBase(typed.trim());
    chooseServer(CUSTOM_SERVER);
    onClose();
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <FieldLabel title="Address" htmlFor={`${why}-input`} />
      <TextField
        id={`${why}-input`}
        label="Address"
        mono
        value={typed}
        onChange={setTyped}
        placeholder="wss://tts.example.com"
        autoComplete="off"
        spellCheck={false}
        invalid={tried && problem !== null}
        aria-describedby={why}
      />
      <p id={why} className={tried && problem ? 'text-12 text-failed' : 'text-12 text-text-muted'}>
        {tried && problem
          ? problem
          : 'Scheme, host and, where there is one, the prefix that the endpoint is mounted under.'}
      </p>
      {policy && (
        <Notice severity="warning" title="The page may not connect there yet">
          {policy}
        </Notice>
      )}
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Keep the old one</Button>
        <Button variant="filled" onClick={use}>
          Use this address
        </Button>
      </div>
    </form>
  );
}
