/* Conjugate gradient: solves A x = b, A the Laplacian of a line of points with a little on the diagonal,
 * dealt to the ranks in pieces. Neighbours exchange one value a step, dot products are Allreduce. The right
 * side is made from a known solution, which must come out. */
#include "verdict.h"

#include <math.h>

enum { points = 4000, mostSteps = 1000 };
static const double diagonal = 2.05;

static double solution(long i) {
  return sin((double)i * 0.01) + (double)(scramble(5, (unsigned)i) % 100) / 50.0;
}

static double dot(const double* a, const double* b, int count) {
  double mine = 0, all = 0;
  for (int i = 0; i < count; ++i)
    mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* out = A in; in[-1] and in[count] are room for the neighbours' values. */
static void apply(double* in, double* out, int count, int before, int after) {
  in[-1] = in[count] = 0;
  MPI_Sendrecv(&in[0], 1, MPI_DOUBLE, before, 1, &in[count], 1, MPI_DOUBLE, after, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&in[count - 1], 1, MPI_DOUBLE, after, 2, &in[-1], 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i)
    out[i] = diagonal * in[i] - in[i - 1] - in[i + 1];
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  const long start = partStart(points, ranks, rank);
  const int count = (int)(partStart(points, ranks, rank + 1) - start);

  double* x = makeRoom((size_t)count, sizeof *x);
  double* r = makeRoom((size_t)count, sizeof *r);
  double* ap = makeRoom((size_t)count, sizeof *ap);
  double* framed = makeRoom((size_t)count + 2, sizeof *framed);
  double* p = framed + 1;
  for (int i = 0; i < count; ++i)
    p[i] = solution(start + i);
  apply(p, r, count, before, after); /* r = b, as x begins at nought */
  for (int i = 0; i < count; ++i)
    p[i] = r[i];

  double rr = dot(r, r, count);
  const double goal = rr * 1e-24;
  int steps = 0;
  for (; steps < mostSteps && rr > goal; ++steps) {
    apply(p, ap, count, before, after);
    const double alpha = rr / dot(p, ap, count);
    for (int i = 0; i < count; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    const double next = dot(r, r, count);
    for (int i = 0; i < count; ++i)
      p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  CHECK(steps > 10 && steps < mostSteps);
  for (int i = 0; i < count; ++i)
    CHECK(fabs(x[i] - solution(start + i)) < 1e-8);
  free(framed);
  free(ap);
  free(r);
  free(x);
  return verdict("conjugate_gradient");
}
