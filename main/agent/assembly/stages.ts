import { RewritingRecorders } from '../domain/rewriting-recorders.ts'
import { Completer } from '../flow/complete/completer.ts'
import { Receiver } from '../flow/follow/event-receiver.ts'
import { Follower } from '../flow/follow/follower.ts'
import { VanishedFollower } from '../flow/follow/vanished-follower.ts'
import { GrowingHasher } from '../flow/hash/growing-hasher.ts'
import { Hasher } from '../flow/hash/hasher.ts'
import { Discarder } from '../flow/open/discarder.ts'
import { Opener } from '../flow/open/opener.ts'
import { Settler } from '../flow/settle/settler.ts'
import { Uploader } from '../flow/upload/uploader.ts'
import { Inspector } from '../inspection/inspector.ts'
import { Alerter } from '../monitoring/alerter.ts'
import { HeartbeatSender } from '../monitoring/heartbeat-sender.ts'
import { MetricsExporter } from '../monitoring/metrics-exporter.ts'
import type { HashThreads } from '../ports/hashing.ts'
import { Remover } from '../removal/remover.ts'
import type { ConfirmedDrives } from '../stage/confirmed-drives.ts'
import type { Stage, StageWorld } from '../stage/stage.ts'
import { Prober } from '../station/prober.ts'
import { Updater } from '../update/updater.ts'

/** All stages except the watchers, roughly in the order of the flow. */
export const createStages = (
  all: StageWorld,
  largeHashing: HashThreads,
  drives: ConfirmedDrives,
): readonly Stage[] => {
  const world = drives.only(all)
  const rewritingRecorders = new RewritingRecorders()
  const sharedByHashers = { rewritingRecorders, claimed: new Set<number>() }
  return [
    new Settler(world),
    new GrowingHasher(world, rewritingRecorders),
    new Hasher(world, 'grown', sharedByHashers),
    new Hasher(world, 'small', sharedByHashers),
    new Hasher({ ...world, hashing: drives.hashingOf(largeHashing) }, 'large', sharedByHashers),
    new Inspector(world),
    new Opener(world),
    new Uploader(world),
    new Completer(world),
    new Follower(world),
    new VanishedFollower(world),
    // `world` hides unconfirmed drives. The remover gets `all`, because it checks the drives itself.
    new Remover({ ...all, hashing: largeHashing }),
    new Discarder(world),
    new Receiver(world),
    new Prober(world),
    new MetricsExporter(world),
    new HeartbeatSender(world),
    new Alerter(world),
    new Updater(world),
  ]
}
