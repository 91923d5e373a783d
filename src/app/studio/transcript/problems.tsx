import { useShallow } from 'zustand/react/shallow';
import { counted } from '#lib/format.ts';
import type { Problem } from '#session/views.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { selectIsOfClient } from '../../session-client/session-state.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Returns the problems of a turn; of the connection where the turn is null. */
export const useProblems = (turn: number | null): readonly Problem[] =>
  useSession(useShallow((state) => state.problems.filter((problem) => problem.turn === turn)));

/** Takes the place of remedies that name controls of this page. */
const CLIENT_REMEDY = 'The client has to handle this. Frames shows what it sent.';

export function Problems({ problems }: { problems: readonly Problem[] }) {
  const client = useSessionClient();
  const isOfClient = useSession(selectIsOfClient);
  return problems.map((problem) => (
    <Notice
      key={problem.id}
      {...problem}
      remedy={problem.remedy && problem.isForSender && isOfClient ? CLIENT_REMEDY : problem.remedy}
      onDismiss={() => client.dismissProblems([problem])}
    >
      {problem.detail}
    </Notice>
  ));
}

/** Their number and a button that dismisses all; nothing for a single one. */
export function ProblemsHead({ problems }: { problems: readonly Problem[] }) {
  const client = useSessionClient();
  if (problems.length < 2) return null;
  return (
    <div className="flex shrink-0 items-center justify-between gap-2 pl-3 text-12 text-text-muted">
      {counted(problems.length, 'notice')}
      <Button size="small" variant="ghost" onClick={() => client.dismissProblems(problems)}>
        Dismiss all
      </Button>
    </div>
  );
}
