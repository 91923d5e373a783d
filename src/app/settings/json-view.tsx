import { useMemo } from 'react';
import { bytes, counted } from '#lib/format.ts';
import { readJsonTree, topFieldsOf } from '#lib/json-text.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { TextRange } from '#text/script.ts';
import { byteLength } from '#trace/frame-size.ts';
import { CheckedJson } from '../editor/checked-json.tsx';
import { problemsOf } from '../editor/text-problems.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { TitledField } from '../ui/fields/rows.tsx';
import { openingFrames } from './frame-text.ts';
import { defaultJson, valueRangeText } from './setting-value.ts';
import type { Setup } from './use-setup.ts';

export function JsonView({ setup }: { setup: Setup }) {
  const { endpoint, settings, text, pending, setText } = setup;
  const problems = useMemo(() => problemsOf(text, endpoint), [text, endpoint]);
  const spans = useMemo(() => pendingSpans(text, pending), [text, pending]);
  const frame = openingFrames(endpoint, settings).join('\n');
  return (
    <>
      <TitledField
        title="Config frame"
        trailing={
          <span className="-my-1 flex touch:-my-3 touch:-mr-3 items-center gap-1">
            <span className="font-mono">{bytes(byteLength(frame))}</span>
            <CopyButton key={frame} what="the config frame" text={() => frame} size="tiny" />
          </span>
        }
      >
        <CheckedJson
          label="Config frame"
          text={text}
          problems={problems}
          pending={spans}
          onTyped={setText}
          tall
          valid={`Valid. The form shows the same ${counted(Object.keys(settings).length, 'value')}.`}
        />
      </TitledField>
      <NotSent endpoint={endpoint} settings={settings} />
    </>
  );
}

function pendingSpans(text: string, pending: ReadonlySet<string>): TextRange[] {
  const map = pending.size === 0 ? null : readJsonTree(text);
  if (!map?.ok) return [];
  return topFieldsOf(map.root).flatMap(({ key, span }) => (pending.has(key) ? [span] : []));
}

/** A longer default hides the range, which the form shows too. */
const MAX_DEFAULT_BESIDE_RANGE = 10;

function NotSent({ endpoint, settings }: { endpoint: Endpoint; settings: Settings }) {
  const rest = endpoint.settings.filter(({ field }) => settings[field] === undefined);
  if (rest.length === 0) return null;
  return (
    <table className="-mx-4 block border-t border-border px-4 pt-2.5">
      <caption className="sr-only">Settings that are not sent</caption>
      <thead className="block">
        <tr className="flex justify-between text-12 text-text-subtle">
          <th scope="col" className="font-medium">
            Not sent, default applies
          </th>
          <th scope="col" className="font-normal">
            range
          </th>
        </tr>
      </thead>
      <tbody className="mt-1.5 block">
        {rest.map((setting) => {
          const standard = defaultJson(setting);
          return (
            <tr
              key={setting.field}
              className="grid min-h-7 grid-cols-[154px_minmax(0,1fr)_auto] items-center gap-1 border-b border-border text-12 last:border-0"
            >
              <th scope="row" className="truncate text-left font-mono font-normal text-text-muted">
                {setting.field}
              </th>
              <td className="font-mono whitespace-nowrap" title={setting.absent}>
                {standard}
              </td>
              {standard.length <= MAX_DEFAULT_BESIDE_RANGE && (
                <td className="text-right whitespace-nowrap text-text-subtle">{valueRangeText(setting)}</td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
