import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Problems of a turn; of the connection where the turn is null. */
export function Problems({ turn }: { turn: number | null }) {
  const client = useSessionClient();
  const problems = useSession((state) => state.problems);
  return problems
    .filter((problem) => problem.turn === turn)
    .map(({ id, severity, title, remedy, detail }) => (
      <Notice
        key={id}
        severity={severity}
        title={title}
        remedy={remedy}
        onDismiss={() => client.dismissProblem(id)}
      >
        {detail}
      </Notice>
    ));
}
