"""What a run came to."""

import html


class RunResult:
    """The result of a run: the fields of `pto2 run --json` as attributes.

    `fields` has all of them. Some: outcome, verdict, tasks, wall_s, kernel_s (None in a
    simulation), ns_per_task, peak_window, slots_recycled, edges_linked, edges_early, config.
    """

    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(f"a result has no {name}; it has {', '.join(fields)}")

    def __dir__(self):
        return [*super().__dir__(), *self.fields]

    def __repr__(self):
        return (f"<pto2.RunResult {self.outcome}: {self.tasks} tasks on {self.executor} in "
                f"{self.wall_s * 1e3:.3f} ms>")

    def _repr_html_(self):
        edges = self.edges_linked + self.edges_early
        rows = [("outcome", self.outcome), ("tasks", f"{self.tasks}, {edges} edges"),
                ("chip", self.config["chip"]["name"]), ("executor", self.executor),
                ("wall time", f"{self.wall_s * 1e3:.3f} ms")]
        if self.kernel_s is not None:
            rows.append(("kernel time", f"{self.kernel_s * 1e3:.3f} ms over all cores"))
        rows.append(("peak window", f"{self.peak_window} of {self.config['window']} slots"))
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>"
                        for name, value in rows)
        return f"<table>{cells}</table>"


class RunError(RuntimeError):
    """A run that ended in a fault.

    `code` (also `outcome`) is the name of the fault, `hint` says what to do, `report` is all that
    the runtime says of it: of a deadlock the wait-for cycle and the smallest size that works.
    `result` has the counts up to the end.
    """

    def __init__(self, result):
        self.result = result
        self.code = self.outcome = result.outcome
        self.hint = result.fields.get("error", {}).get("hint", "")
        self.report = result.fields.get("error", {}).get("message", "")
        super().__init__(f"{self.code}: {self.report}\n{self.hint}")

    def __reduce__(self):
        return type(self), (self.result,)
