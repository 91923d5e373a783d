import { useState } from 'react';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { AddressField } from '../../settings/address-field.tsx';
import { addressProblem } from '../../stores/server-address.ts';
import { CUSTOM_SERVER, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';

interface AddressDialogProps {
  onClose: () => void;
  endpoint: Endpoint;
  stored: string;
}

/** Asks for the address of a server that is not in the list. */
export function AddressDialog({ onClose, endpoint, stored }: AddressDialogProps) {
  const [typed, setTyped] = useState(stored);
  const [tried, setTried] = useState(false);
  const problem = addressProblem(typed);
  const accept = () => {
    setTried(true);
    if (problem) return;
    const { setCustomBase, chooseServer } = useSettings.getState();
    setCustomBase(typed.trim());
    chooseServer(CUSTOM_SERVER);
    onClose();
  };
  return (
    <Dialog
      onClose={onClose}
      title="Custom address"
      description={`A server that speaks ${endpoint.title}. Its path ${endpoint.path} is added.`}
    >
      <Form className="flex flex-col gap-3" onSubmit={accept}>
        <AddressField
          title="Address"
          value={typed}
          onChange={setTyped}
          placeholder="wss://tts.example.com"
          hint="Scheme, host and, where there is one, the prefix that the endpoint is mounted under."
          problem={tried ? problem : null}
        />
        <div className="flex justify-end gap-2 pt-1">
          <Button onClick={onClose}>Keep the old one</Button>
          <Button variant="filled" onClick={accept}>
            Use this address
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
