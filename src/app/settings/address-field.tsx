import { type ComponentProps, useState } from 'react';
import { ENDPOINTS } from '#protocol/registry.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { addressProblem, policyProblem } from '../stores/server-address.ts';
import { Field } from '../ui/fields/field.tsx';
import { Notice } from '../ui/notice.tsx';

type AddressFieldProps = ComponentProps<typeof Field> & { scheme?: 'ws' | 'http' };

/** The address of a server. Once something was typed, it says why the page cannot or may not connect there. */
export function AddressField({ scheme = 'ws', ...field }: AddressFieldProps) {
  // Only our own server sets a policy.
  const policy = HAS_LOCAL_SERVER ? policyProblem(field.value, ENDPOINTS, location.host, scheme) : null;
  const [isTyped, setTyped] = useState(false);
  const isUntouched = !isTyped && /^(\w+:\/\/)?$/.test(field.value);
  const onChange = (value: string) => {
    setTyped(true);
    field.onChange(value);
  };
  return (
    <>
      <Field
        mono
        problem={isUntouched ? null : addressProblem(field.value, scheme)}
        {...field}
        onChange={onChange}
      />
      {policy && (
        <Notice severity="warning" title="The page may not connect there yet">
          {policy}
        </Notice>
      )}
    </>
  );
}
