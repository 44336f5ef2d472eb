import { Rewriters } from '../domain/rewriters.ts'
import { Alerter } from '../pipeline/alerter.ts'
import { Completer } from '../pipeline/completer.ts'
import { Discarder } from '../pipeline/discarder.ts'
import { Exporter } from '../pipeline/exporter.ts'
import { Follower } from '../pipeline/follower.ts'
import { GrowingHasher } from '../pipeline/growing-hasher.ts'
import { Hasher } from '../pipeline/hasher.ts'
import { Heart } from '../pipeline/heart.ts'
import { Keeper } from '../pipeline/keeper.ts'
import { Opener } from '../pipeline/opener.ts'
import { Prober } from '../pipeline/prober.ts'
import { Receiver } from '../pipeline/receiver.ts'
import { Settler } from '../pipeline/settler.ts'
import { Uploader } from '../pipeline/uploader.ts'
import type { HashThreads } from '../ports.ts'
import type { Stage, StageWorld } from './stage.ts'

/** Every stage behind the watchers, in the order of the flow. */
export const stagesOf = (world: StageWorld, largeHashing: HashThreads): readonly Stage[] => {
  const rewriters = new Rewriters()
  const hashers = { rewriters, inHand: new Set<number>() }
  return [
    new Settler(world),
    new GrowingHasher(world, rewriters),
    new Hasher(world, 'grown', hashers),
    new Hasher(world, 'small', hashers),
    new Hasher({ ...world, hashing: largeHashing }, 'large', hashers),
    new Opener(world),
    new Uploader(world),
    new Completer(world),
    new Follower(world),
    new Keeper({ ...world, hashing: largeHashing }),
    new Discarder(world),
    new Receiver(world),
    new Prober(world),
    new Exporter(world),
    new Heart(world),
    new Alerter(world),
  ]
}
