import { Clock } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { Settings } from '#protocol/core/endpoint.ts';
import { describeIssue, type Issue } from '#protocol/core/issue.ts';
import type { Control, Setting } from '#protocol/core/settings.ts';
import { cx } from '../ui/cx.ts';
import { TitledField } from '../ui/fields/rows.tsx';
import { later } from '../ui/later.tsx';
import { NoteLine } from '../ui/notice.tsx';
import { Switch } from '../ui/switch.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { ChoiceControl } from './choice-control.tsx';
import type { ControlProps } from './control-props.ts';
import { DictionariesControl } from './dictionaries-control.tsx';
import type { HintedText } from './language-hint.tsx';
import { defaultText, valueToSend } from './setting-value.ts';
import { NumberControl, NumbersControl, RangeControl, TextControl } from './typed-controls.tsx';
import { DescriptionControl } from './voices/description-control.tsx';
import type { SettingLists } from './voices/use-catalogue.ts';
import { VoiceControl } from './voices/voice-control.tsx';
import { settingChange } from './voices/voice-options.ts';

export interface SettingRowProps extends SettingLists {
  setting: Setting;
  /** The value in the settings, of any type; undefined where none is sent. */
  value: unknown;
  issue: Issue | undefined;
  /** The running turn was opened with another value. */
  pending: boolean;
  /** Absent where no text is known. */
  spoken?: HintedText | undefined;
  /** Called with the changed fields; undefined unsets one. Choosing a voice or dictionaries also sets the fields that belong to them. */
  onChange: (fields: Settings) => void;
}

/** Defaults longer than this do not fit at the right of the explanation. */
const MAX_SIDE_DEFAULT_CHARS = 10;

/** Controls whose main input is labelled by the title. */
const TYPED: ReadonlySet<Control['kind']> = new Set(['range', 'number', 'numbers', 'description', 'text']);

export function SettingRow({ setting, value, issue, pending, spoken, onChange, ...lists }: SettingRowProps) {
  const id = useId();
  const { control, fallback, title } = setting;
  const sent = value !== undefined;
  const set = (next: unknown) =>
    onChange(settingChange(setting, next, lists.voices.items, lists.dictionaries?.items));
  const unset = () => set(undefined);
  const props: ControlProps = {
    setting,
    value,
    onChange: set,
    onUnset: unset,
    invalid: issue !== undefined,
    inputId: `${id}-input`,
    describedBy: `${id}-about`,
  };
  const standard = fallback === undefined ? null : defaultText(setting);
  const aside = standard !== null && standard.length <= MAX_SIDE_DEFAULT_CHARS;
  const typed = TYPED.has(control.kind);

  return (
    <TitledField
      data-field={setting.field}
      title={title}
      field={setting.field}
      htmlFor={typed ? props.inputId : undefined}
      trailing={
        <span className="flex items-center gap-2">
          <SentMark
            title={title}
            sent={sent}
            pending={pending}
            send={sent || valueToSend(setting) !== undefined ? () => set(valueToSend(setting)) : null}
            onUnset={unset}
          />
          {control.kind === 'switch' && (
            <Switch label={title} checked={(sent ? value : fallback) === true} onChange={set} />
          )}
        </span>
      }
    >
      <SettingControl {...props} {...lists} />
      <div id={props.describedBy} className="flex flex-col gap-1 text-12">
        <div className="flex items-baseline justify-between gap-3 text-text-muted">
          <p>
            {setting.explanation}
            {!aside && (
              <span className="text-text-subtle">
                {' '}
                {standard === null ? `Not sent: ${defaultText(setting)}.` : `Default ${standard}.`}
              </span>
            )}
          </p>
          {aside && <p className="shrink-0 text-text-subtle">default {standard}</p>}
        </div>
        {issue && <NoteLine>{describeIssue(issue)}</NoteLine>}
        {spoken !== undefined && typeof value === 'string' && setting.isLanguage && (
          <LanguageHint language={value} spoken={spoken} />
        )}
      </div>
    </TitledField>
  );
}

const LanguageHint = later('The hint beside the language', () =>
  import('./language-hint.tsx').then((module) => module.LanguageHint),
);

/** The switch is in the title's row. */
const CONTROLS: { [K in Control['kind']]: (props: ControlProps<K> & SettingLists) => ReactNode } = {
  range: RangeControl,
  number: NumberControl,
  numbers: NumbersControl,
  choice: ChoiceControl,
  switch: () => null,
  description: DescriptionControl,
  text: TextControl,
  voice: VoiceControl,
  dictionaries: DictionariesControl,
};

function SettingControl(props: ControlProps & SettingLists): ReactNode {
  const Shown = CONTROLS[props.setting.control.kind] as (props: ControlProps & SettingLists) => ReactNode;
  return <Shown {...props} />;
}

interface SentMarkProps {
  title: string;
  sent: boolean;
  pending: boolean;
  /** Starts sending it; null where a value has to be chosen first. */
  send: (() => void) | null;
  onUnset: () => void;
}

function SentMark({ title, sent, pending, send, onUnset }: SentMarkProps) {
  const words = pending ? `${sent ? '' : 'default '}from the next turn` : sent ? 'sent' : 'not sent';
  if (!sent && send === null) {
    return <span className="text-text-subtle">{words}</span>;
  }
  return (
    <Tooltip content={sent ? 'Leave it out; the default applies' : 'Send it'}>
      <button
        type="button"
        aria-pressed={sent}
        onClick={() => (sent ? onUnset() : send?.())}
        className={cx(
          'relative inline-flex cursor-default items-center gap-1.5 rounded-mark text-12 decoration-border-strong underline-offset-4 after:absolute after:-inset-x-2 after:-inset-y-1.5 hover:underline touch:after:-inset-x-2.5 touch:after:-inset-y-3.5',
          pending ? 'text-waiting' : sent ? 'font-medium text-text-muted' : 'text-text-subtle',
        )}
      >
        <span className="sr-only">{title}: </span>
        {pending && <Clock className="size-3" />}
        {words}
      </button>
    </Tooltip>
  );
}
