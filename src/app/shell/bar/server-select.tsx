import { useState } from 'react';
import { EndpointSelect } from '../../settings/endpoint-select.tsx';
import { addressProblem } from '../../stores/server-address.ts';
import { CUSTOM_SERVER, selectEndpoint, selectServerId, useSettings } from '../../stores/settings-store.ts';
import { later } from '../../ui/later.tsx';
import { Select } from '../../ui/select.tsx';
import { serverOptions } from '../../wording/server-options.ts';

const AddressDialog = later('The form of the address', () =>
  import('./address-dialog.tsx').then((module) => module.AddressDialog),
);

export function PageEndpoint() {
  const endpoint = useSettings(selectEndpoint);
  const choose = useSettings((state) => state.chooseEndpoint);
  return <EndpointSelect label="Endpoint" quiet value={endpoint.id} onChange={choose} />;
}

export function ServerSelect() {
  const endpoint = useSettings(selectEndpoint);
  const serverId = useSettings(selectServerId);
  const customBase = useSettings((state) => state.customBases[endpoint.id] ?? '');
  const served = useSettings((state) => state.served);
  const choose = useSettings((state) => state.chooseServer);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Select
        label="Server"
        quiet
        value={serverId}
        onChange={(id) => (id === CUSTOM_SERVER ? setAsking(true) : choose(id))}
        options={serverOptions(
          [...endpoint.servers, ...served.filter((one) => one.endpoint !== null)],
          serverId === CUSTOM_SERVER
            ? { label: hostOf(customBase), hint: 'custom address, press to change' }
            : { label: 'Custom address…' },
        )}
      />
      {isAsking && <AddressDialog onClose={() => setAsking(false)} endpoint={endpoint} stored={customBase} />}
    </>
  );
}

const hostOf = (base: string): string =>
  addressProblem(base) === null ? new URL(base).host : 'Custom address';
